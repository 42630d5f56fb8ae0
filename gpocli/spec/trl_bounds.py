"""The numbers that options of TRL's GRPOConfig take: what it documents, and what torch refuses only while training."""

from collections.abc import Mapping
from math import inf, isfinite
from typing import Any, NamedTuple

from gpocli.spec.wording import shown


class Bounds(NamedTuple):
    """From `low` to `high`, both of which are values themselves unless said otherwise."""

    low: float = -inf
    high: float = inf
    without_low: bool = False
    without_high: bool = False

    def hold(self, value: float) -> bool:
        """Whether `value` is a number within."""
        above = value > self.low if self.without_low else value >= self.low
        below = value < self.high if self.without_high else value <= self.high
        return isfinite(value) and above and below

    def __str__(self) -> str:
        if self == Bounds():
            return "a finite number"
        if self.high == inf:
            return f"a number above {self.low:g}" if self.without_low else f"a number of at least {self.low:g}"
        if self.without_low:
            return f"a number above {self.low:g}, at most {self.high:g}"
        return f"a number from {self.low:g} to {'below ' if self.without_high else ''}{self.high:g}"


_AT_LEAST_0, _AT_LEAST_1, _ABOVE_0 = Bounds(0), Bounds(1), Bounds(0, without_low=True)
_BETA, _SHARE, _SHARE_ABOVE_0 = Bounds(0, 1, without_high=True), Bounds(0, 1), Bounds(0, 1, without_low=True)

BOUNDS: Mapping[str, Bounds] = {
    "adam_beta1": _BETA,
    "adam_beta2": _BETA,
    "adam_epsilon": _AT_LEAST_0,
    "dataloader_num_workers": _AT_LEAST_0,
    "dataloader_prefetch_factor": _AT_LEAST_1,
    "ddp_bucket_cap_mb": _AT_LEAST_1,
    "ddp_timeout": _AT_LEAST_1,
    "delta": _ABOVE_0,
    "entropy_coef_delta": _AT_LEAST_0,
    "entropy_coef_max": _AT_LEAST_0,
    "entropy_coef_min": _AT_LEAST_0,
    "entropy_target": _AT_LEAST_0,
    "eval_accumulation_steps": _AT_LEAST_1,
    "eval_delay": _AT_LEAST_0,
    "local_rank": Bounds(-1),
    "max_tool_calling_iterations": _AT_LEAST_0,
    "neftune_noise_alpha": _AT_LEAST_0,
    "num_completions_to_print": _AT_LEAST_1,
    "num_generations_eval": _AT_LEAST_1,
    "off_policy_mask_threshold": _AT_LEAST_0,
    "pad_to_multiple_of": _AT_LEAST_1,
    "per_device_eval_batch_size": _AT_LEAST_1,
    "ref_model_mixup_alpha": _SHARE,
    "ref_model_sync_steps": _AT_LEAST_1,
    "router_aux_loss_coef": _AT_LEAST_0,
    "sapo_temperature_neg": _ABOVE_0,
    "sapo_temperature_pos": _ABOVE_0,
    "top_entropy_quantile": _SHARE_ABOVE_0,
    "torch_empty_cache_steps": _AT_LEAST_1,
    "vespo_k_neg": _AT_LEAST_0,
    "vespo_k_pos": _AT_LEAST_0,
    "vespo_lambda_neg": _AT_LEAST_0,
    "vespo_lambda_pos": _AT_LEAST_0,
    "vllm_gpu_memory_utilization": _SHARE_ABOVE_0,
    "vllm_group_port": Bounds(1, 65535),
    "vllm_importance_sampling_cap": _ABOVE_0,
    "vllm_importance_sampling_clip_max": _ABOVE_0,
    "vllm_importance_sampling_clip_min": _AT_LEAST_0,
    "vllm_max_model_length": _AT_LEAST_1,
    "vllm_tensor_parallel_size": _AT_LEAST_1,
}


def out_of_bounds(name: str, value: Any) -> str | None:
    """Say what is wrong with a number for TRL's option `name`, or None; values of other types are not looked at."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    bounds = BOUNDS.get(name, Bounds())
    return None if bounds.hold(value) else f"{shown(value)} is out of range; write {bounds}"
