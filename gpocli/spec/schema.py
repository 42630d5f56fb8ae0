"""The JSON Schema of a run spec, for completion and checking in editors."""

from typing import Any, get_args, get_origin

from pydantic import BaseModel

from gpocli.settings.docs import field_docs
from gpocli.settings.section import Section
from gpocli.spec.algorithms import DEFAULT_ALGORITHM, algorithms
from gpocli.spec.fields import settings
from gpocli.spec.run_spec import RunSpec
from gpocli.spec.trl_faults import SECRETS, decided_elsewhere
from gpocli.spec.trl_schema import TrlOption, trl_options

TITLE = "gpo run spec"
_TYPES = {
    "bool": "boolean",
    "dict": "object",
    "float": "number",
    "int": "integer",
    "list": "array",
    "null": "null",
    "str": "string",
}


def spec_schema() -> dict[str, Any]:
    """The schema, with the docstrings of the fields as descriptions.

    It says all but the rules that span several fields, and the options of filters and rewards.
    """
    schema = RunSpec.model_json_schema()
    roots: list[type[Section]] = [RunSpec, *(one.section for one in algorithms().values())]
    sections = {section.__name__: section for root in roots for section in _sections(root)}
    for name, part in schema["$defs"].items():
        _describe(part, sections[name])
    _describe(schema, RunSpec)
    for name in ("FilterSpec", "RewardSpec"):
        mapping = schema["$defs"][name]
        bare = {"type": "string", "minLength": 1, "description": "Its name, with default options."}
        schema["$defs"][name] = {"description": mapping.pop("description"), "anyOf": [bare, mapping]}
    for name, one in algorithms().items():  # one of them fits, also where the default type is left out
        if name != DEFAULT_ALGORITHM:
            schema["$defs"][one.section.__name__]["required"] = ["type"]
    schema["properties"]["trl"] |= {
        "additionalProperties": False,
        "properties": {name: _of_trl(option) for name, option in trl_options().items() if _is_free(name)},
    }
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": TITLE}


def _is_free(name: str) -> bool:
    """Whether some algorithm lets a user set the option `name` of TRL."""
    return name not in SECRETS and any(
        decided_elsewhere(name, one, {option: s.path for s in settings(one.name) for option in s.setting.owned}) is None
        for one in algorithms().values()
    )


def _describe(part: dict[str, Any], section: type[Section]) -> None:
    docs = field_docs(section)
    part.pop("title", None)
    for name, field in part["properties"].items():
        field.pop("title", None)
        field["description"] = docs[name]


def _of_trl(option: TrlOption) -> dict[str, Any]:
    types = [_TYPES[one] for one in option["types"]]
    if not option["choices"]:
        return {"type": types}
    others = [{"type": one} for one in types if one != "string"]
    chosen = {"enum": option["choices"]}
    return {"anyOf": [chosen, *others]} if others else chosen


def _sections(section: type[Section]) -> set[type[Section]]:
    found = {section}
    for field in section.model_fields.values():
        for inner in _models(field.annotation):
            found |= _sections(inner)
    return found


def _models(annotation: Any) -> list[type[Section]]:
    if isinstance(annotation, type) and not get_origin(annotation) and issubclass(annotation, BaseModel):
        return [annotation] if issubclass(annotation, Section) else []
    return [model for inner in get_args(annotation) for model in _models(inner)]
