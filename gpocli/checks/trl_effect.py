"""Options under `trl` that do nothing beside the other settings: a note each, for nothing goes wrong by them.

What has no effect whatever else is set is refused instead (`checks.trl`).
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from gpocli.checks.findings import Findings
from gpocli.spec import RunSpec

_VLLM = (
    "vllm_enable_sleep_mode vllm_gpu_memory_utilization vllm_group_port vllm_importance_sampling_cap "
    "vllm_importance_sampling_clip_max vllm_importance_sampling_clip_min vllm_importance_sampling_correction "
    "vllm_importance_sampling_mode vllm_max_model_length vllm_model_impl vllm_structured_outputs_regex "
    "vllm_tensor_parallel_size"
)
_COLOCATED = (
    "vllm_enable_sleep_mode vllm_gpu_memory_utilization vllm_max_model_length vllm_model_impl vllm_tensor_parallel_size"
)
_CORRECTION = (
    "vllm_importance_sampling_cap vllm_importance_sampling_clip_max vllm_importance_sampling_clip_min "
    "vllm_importance_sampling_mode"
)
_EVALUATION = (
    "bf16_full_eval eval_accumulation_steps eval_delay eval_do_concat_batches eval_use_gather_object fp16_full_eval "
    "greater_is_better metric_for_best_model num_generations_eval per_device_eval_batch_size prediction_loss_only"
)
_HUB = "hub_always_push hub_model_id hub_private_repo hub_revision hub_strategy"
_NO_WORKERS = "dataloader_in_order"
_CLIPS_TWICE = ("bnpo", "dapo", "dr_grpo", "grpo", "luspo")

Trl = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Idle:
    """Options (names with blanks between) that do nothing where `where` holds, and why, from the settings it reads."""

    options: str
    why: str
    where: Callable[[RunSpec, Trl], bool] = lambda spec, trl: True
    reads: Iterable[str] = field(default=())


IDLE: tuple[Idle, ...] = (
    Idle(_VLLM, "without sampling.engine: vllm", lambda spec, _: spec.sampling.engine != "vllm", ["sampling.engine"]),
    Idle(
        _COLOCATED,
        "on a vLLM server",
        lambda spec, _: spec.sampling.vllm is not None and spec.sampling.vllm.url is not None,
        ["sampling.vllm"],
    ),
    Idle(
        "vllm_group_port",
        "without sampling.vllm.sync: nccl",
        lambda spec, _: (
            spec.sampling.engine == "vllm" and (spec.sampling.vllm is None or spec.sampling.vllm.sync != "nccl")
        ),
        ["sampling.engine", "sampling.vllm"],
    ),
    Idle(
        _CORRECTION,
        "with trl.vllm_importance_sampling_correction: false",
        lambda _, trl: trl.get("vllm_importance_sampling_correction") is False,
    ),
    Idle(
        "transformers_continuous_batching_config",
        "without sampling.engine: continuous",
        lambda spec, _: spec.sampling.engine != "continuous",
        ["sampling.engine"],
    ),
    Idle(
        "ref_model_mixup_alpha ref_model_sync_steps",
        "without trl.sync_ref_model: true",
        lambda _, trl: not trl.get("sync_ref_model"),
    ),
    Idle(
        "use_bias_correction_kl",
        "with algorithm.beta: 0",
        lambda spec, _: spec.algorithm.beta == 0,
        ["algorithm.type", "algorithm.beta"],
    ),
    Idle(
        "entropy_coef_delta entropy_coef_max entropy_coef_min entropy_target",
        "without trl.use_adaptive_entropy: true",
        lambda _, trl: not trl.get("use_adaptive_entropy"),
    ),
    Idle(
        "delta",
        "on this loss, which clips in its own way",
        lambda spec, _: getattr(spec.algorithm, "loss_type", "dapo") not in _CLIPS_TWICE,
        ["algorithm"],
    ),
    Idle(
        "sapo_temperature_neg sapo_temperature_pos",
        "without algorithm.loss_type: sapo",
        lambda spec, _: getattr(spec.algorithm, "loss_type", "") != "sapo",
        ["algorithm"],
    ),
    Idle(
        "vespo_k_neg vespo_k_pos vespo_lambda_neg vespo_lambda_pos",
        "without algorithm.loss_type: vespo",
        lambda spec, _: getattr(spec.algorithm, "loss_type", "") != "vespo",
        ["algorithm"],
    ),
    Idle(
        "multi_objective_aggregation",
        "with one reward",
        lambda spec, _: len(spec.rewards) == 1,
        ["rewards"],
    ),
    Idle(_EVALUATION, "without run.eval_every", lambda spec, _: spec.run.eval_every is None, ["run.eval_every"]),
    Idle(
        "greater_is_better",
        "without trl.metric_for_best_model",
        lambda _, trl: trl.get("metric_for_best_model") is None,
    ),
    Idle(_HUB, "without trl.push_to_hub: true", lambda _, trl: not trl.get("push_to_hub")),
    Idle(
        "log_unique_prompts num_completions_to_print log_multimodal",
        "without trl.log_completions: true",
        lambda _, trl: not trl.get("log_completions"),
    ),
    Idle(
        "project trackio_bucket_id trackio_space_id trackio_static_space_id",
        "without run.trackers: [trackio]",
        lambda spec, _: "trackio" not in spec.run.trackers,
        ["run.trackers"],
    ),
    Idle(_NO_WORKERS, "without trl.dataloader_num_workers", lambda _, trl: not trl.get("dataloader_num_workers")),
    Idle(
        "dataloader_num_workers",
        "on streamed data, which one process reads",
        lambda spec, _: spec.data.streaming,
        ["data.streaming"],
    ),
    Idle(
        "activation_checkpointing_kwargs gradient_checkpointing_kwargs",
        "without optim.gradient_checkpointing: true",
        lambda spec, _: not spec.optim.gradient_checkpointing,
        ["optim.gradient_checkpointing"],
    ),
    Idle("liger_kernel_config", "without trl.use_liger_kernel: true", lambda _, trl: not trl.get("use_liger_kernel")),
    Idle("optim_target_modules", "on any optimizer of a spec"),
    Idle("max_tool_calling_iterations", "in gpo train, which gives a policy no tools"),
    Idle("do_eval do_predict do_train", "in gpo train; run.eval_every says when a run evaluates"),
    Idle("disable_tqdm", "in gpo train, which has its own display"),
)


def note_without_effect(findings: Findings) -> None:
    """Tell which options do nothing beside the others."""
    for name, why in idle_options(findings.spec, findings.spec.trl, findings.are_sound):
        findings.notes.append(f"trl.{name} has no effect {why}")


def idle_options(
    spec: RunSpec, trl: Trl, are_sound: Callable[..., bool] = lambda *_: True
) -> Iterator[tuple[str, str]]:
    """Yield each option that does nothing, once, and why; settings that are not sound are not read."""
    told: set[str] = set()
    for idle in IDLE:
        names = [name for name in idle.options.split() if name in trl and name not in told]
        if names and are_sound(*idle.reads) and idle.where(spec, trl):
            told.update(names)
            for name in names:
                yield name, idle.why
