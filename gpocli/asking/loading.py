"""Weights and tokenizer of a model that is asked. Imports torch."""

from dataclasses import dataclass
from typing import Any

import torch
from transformers import AutoModelForCausalLM

from gpocli.errors import SpecError
from gpocli.policy.load import Policy, cannot_load, find_policy
from gpocli.policy.sound import require_finite
from gpocli.policy.whole_weights import whole_weights
from gpocli.rollout import Rollout, SamplingRequest, SamplingSettings, sample_groups, supports
from gpocli.rollout.generation_config import changes_what_is_drawn
from gpocli.rollout.support import base_model
from gpocli.spec import RunSpec


@dataclass(frozen=True, slots=True)
class Loaded:
    """A model on the device that it computes on, in evaluation mode."""

    model: Any
    tokenizer: Any
    context: int | None
    settings: SamplingSettings

    def sample(self, request: SamplingRequest) -> Rollout:
        """Completions by gpo's own loop. Raises `SpecError` for a request that it cannot serve."""
        if reason := supports(self.model, request):
            raise SpecError(f"gpo cannot draw from this model: {reason}")
        return sample_groups(self.model, request)


def load_sampler(spec: RunSpec) -> Loaded:
    """The model of a spec. Raises `SpecError` and `EnvironmentFault` where it cannot be had or drawn from."""
    policy = find_policy(spec.model)
    model = _model(policy, spec)
    require_finite(spec.model.name, model.named_parameters())
    if reason := supports(model):
        raise SpecError(f"gpo cannot draw from model '{spec.model.name}': {reason}")
    if fields := changes_what_is_drawn(base_model(model).generation_config):
        raise SpecError(
            f"gpo cannot draw from model '{spec.model.name}': its generation_config sets {', '.join(fields)}; take "
            "that out of its generation_config.json"
        )
    return Loaded(model, policy.tokenizer, policy.context, _settings(spec, policy.tokenizer, model))


def _model(policy: Policy, spec: RunSpec) -> Any:
    device = "cuda" if torch.cuda.is_available() else "mps" if torch.backends.mps.is_available() else "cpu"
    wanted = spec.model
    options: dict[str, Any] = {"revision": wanted.revision, "trust_remote_code": wanted.trust_remote_code}
    if wanted.attention is not None:
        options["attn_implementation"] = wanted.attention
    try:
        with whole_weights(wanted.name):
            model = AutoModelForCausalLM.from_pretrained(policy.base, dtype=_dtype(wanted.dtype, device), **options)
    except (OSError, ValueError, RuntimeError) as error:
        raise cannot_load(wanted, error) from error
    if policy.adapter is not None:
        from peft import PeftModel

        model = PeftModel.from_pretrained(model, policy.adapter)
    return model.to(device).eval()


def _dtype(wanted: str, device: str) -> torch.dtype:
    """What a run computes in: `auto` is bfloat16 on a GPU that has it."""
    if wanted != "auto":
        dtype: torch.dtype = getattr(torch, wanted)
        return dtype
    return torch.bfloat16 if device == "cuda" and torch.cuda.is_bf16_supported() else torch.float32


def _settings(spec: RunSpec, tokenizer: Any, model: Any) -> SamplingSettings:
    """The settings of a run; what ends a completion in training ends it here."""
    config: Any = base_model(model).generation_config
    declared = config.eos_token_id
    ends = declared if isinstance(declared, list) else [] if declared is None else [declared]
    pad = tokenizer.pad_token_id
    one = spec.sampling
    return SamplingSettings(
        max_new_tokens=one.max_tokens,
        eos_token_ids=tuple(dict.fromkeys([tokenizer.eos_token_id, *ends])),
        pad_token_id=tokenizer.eos_token_id if pad is None else pad,
        temperature=one.temperature,
        top_p=one.top_p,
        top_k=one.top_k,
        min_p=one.min_p,
        repetition_penalty=one.repetition_penalty,
    )
