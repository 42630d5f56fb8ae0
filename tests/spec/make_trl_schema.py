"""Write `gpocli/spec/trl_schema.json` from the GRPOConfig of the installed TRL, and the names that its options take.

Run it once with each supported TRL, the newest last: `python -m tests.spec.make_trl_schema`. Options that
only an older one has stay in the file; what both have is as in the last.
"""

import dataclasses
import inspect
import json
import typing
from enum import Enum
from pathlib import Path
from types import NoneType, UnionType
from typing import Any

import transformers
from trl import GRPOConfig, __version__

TABLE = Path(__file__).parents[2] / "gpocli" / "spec" / "trl_schema.json"

# Closed sets that TRL names in its documentation only.
CHOICES = {
    "hub_strategy": ["all_checkpoints", "checkpoint", "end", "every_save"],
    "importance_sampling_level": ["sequence", "token"],
    "multi_objective_aggregation": ["normalize_then_sum", "sum_then_normalize"],
    "vllm_importance_sampling_mode": ["sequence_mask", "sequence_truncate", "token_mask", "token_truncate"],
    "vllm_mode": ["colocate", "server"],
    "vllm_model_impl": ["transformers", "vllm"],
}

# Keys of `optim_args` that transformers reads for the optimizers of a spec, in its code only; the others take none.
OPTIM_ARGS = {
    "ademamix": ["alpha", "beta1", "beta2", "beta3", "eps", "t_alpha", "t_beta3"],
    "rmsprop": ["alpha", "centered", "eps", "momentum"],
    "sgd": ["dampening", "momentum", "nesterov"],
    "stable_adamw": ["decouple_lr", "kahan_sum", "max_lr"],
}


def options() -> dict[str, dict[str, list[str]]]:
    """Names, types and choices of the installed TRL's options."""
    return {field.name: _option(field) for field in dataclasses.fields(GRPOConfig) if field.init}


def _option(field: dataclasses.Field[Any]) -> dict[str, list[str]]:
    types = {name for member in _members(field.type) for name in _names(member)}
    if field.default is None:
        types.add("null")
    enums = [member for member in _members(field.type) if isinstance(member, type) and issubclass(member, Enum)]
    choices = [str(one.value) for enum in enums for one in enum] if field.name != "debug" else []
    given = CHOICES.get(field.name) or field.metadata.get("choices") or choices
    return {"types": sorted(types), "choices": sorted(given)}


def _members(annotation: Any) -> tuple[Any, ...]:
    if typing.get_origin(annotation) in (typing.Union, UnionType):
        return tuple(m for part in typing.get_args(annotation) for m in _members(part))
    return (annotation,)


def _names(member: Any) -> list[str]:
    origin = typing.get_origin(member) or member
    if origin is typing.Literal:
        return [type(value).__name__ for value in typing.get_args(member)]
    if origin is NoneType or origin is None:
        return ["null"]
    if isinstance(origin, type) and issubclass(origin, Enum):
        return ["str"]
    return [origin.__name__] if origin in (bool, dict, float, int, list, str) else ["dict"]


def names() -> dict[str, Any]:
    """What transformers, torch and accelerate take in the options that TRL hands on to them."""
    import torch._dynamo
    import torch._inductor
    from torch.utils.checkpoint import checkpoint
    from transformers import GenerationConfig
    from transformers.debug_utils import DebugOption
    from transformers.generation import ContinuousBatchingConfig
    from transformers.generation.configuration_utils import ALL_CACHE_IMPLEMENTATIONS
    from transformers.modeling_utils import ALL_ATTENTION_FUNCTIONS
    from transformers.trainer_pt_utils import AcceleratorConfig
    from transformers.trainer_utils import FSDPOption

    backends = torch._dynamo.list_backends(())
    return {
        "accelerator_config": _parameters(AcceleratorConfig),
        "attention": sorted({"eager", *_not_ours(ALL_ATTENTION_FUNCTIONS.valid_keys())}),
        "cache_implementation": sorted(ALL_CACHE_IMPLEMENTATIONS),
        "debug": sorted(option.value for option in DebugOption),
        "fsdp": sorted(option.value for option in FSDPOption),
        "generation_kwargs": sorted(name for name in vars(GenerationConfig()) if not name.startswith("_")),
        "gradient_checkpointing_kwargs": sorted({*_parameters(checkpoint), "preserve_rng_state"} - {"function"}),
        "lr_scheduler_kwargs": _schedules(),
        "optim_args": OPTIM_ARGS,
        "torch_compile_backend": sorted(name for name in backends if not name.endswith("TESTING_ONLY")),
        "torch_compile_mode": sorted(torch._inductor.list_mode_options()),
        "transformers_continuous_batching_config": _parameters(ContinuousBatchingConfig),
    }


def _not_ours(names: Any) -> list[str]:
    """Without what `gpocli.rollout` registers when it is imported."""
    return [name for name in names if not name.startswith("gpo")]


def _parameters(function: Any) -> list[str]:
    found = inspect.signature(function).parameters.values()
    return sorted(one.name for one in found if one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD))


def _schedules() -> dict[str, list[str]]:
    from transformers.optimization import TYPE_TO_SCHEDULER_FUNCTION

    given = {"optimizer", "num_warmup_steps", "num_training_steps", "last_epoch"}
    silent = ("constant", "constant_with_warmup")  # transformers does not hand theirs on
    return {
        kind.value: [] if kind.value in silent else sorted(set(_parameters(function)) - given)
        for kind, function in sorted(TYPE_TO_SCHEDULER_FUNCTION.items(), key=lambda item: item[0].value)
    }


def main() -> None:
    before = json.loads(TABLE.read_text(encoding="utf-8"))["options"] if TABLE.exists() else {}
    lines = [f'"{name}": {json.dumps(option)}' for name, option in sorted({**before, **options()}.items())]
    listed = ",\n  ".join(lines)
    taken = ",\n  ".join(f'"{name}": {json.dumps(values)}' for name, values in names().items())
    made_with = f'"trl": "{__version__}", "transformers": "{transformers.__version__}"'
    text = f'{{{made_with}, "options": {{\n  {listed}\n}}, "names": {{\n  {taken}\n}}}}\n'
    TABLE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
