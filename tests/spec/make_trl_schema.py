"""Write `gpocli/spec/trl_schema.json` from the GRPOConfig of the installed TRL.

Run it once with each supported TRL, the newest last: `python -m tests.spec.make_trl_schema`. Options that
only an older one has stay in the file; what both have is as in the last.
"""

import dataclasses
import json
import typing
from enum import Enum
from pathlib import Path
from types import NoneType, UnionType
from typing import Any

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


def main() -> None:
    before = json.loads(TABLE.read_text(encoding="utf-8"))["options"] if TABLE.exists() else {}
    lines = [f'"{name}": {json.dumps(option)}' for name, option in sorted({**before, **options()}.items())]
    listed = ",\n  ".join(lines)
    TABLE.write_text(f'{{"trl": "{__version__}", "options": {{\n  {listed}\n}}}}\n', encoding="utf-8")


if __name__ == "__main__":
    main()
