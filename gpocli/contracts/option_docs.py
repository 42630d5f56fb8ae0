"""The options of a filter or reward as an author wrote them down: meaning, default and what may be given."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel
from pydantic.errors import PydanticInvalidForJsonSchema, PydanticSchemaGenerationError, PydanticUserError
from pydantic.fields import FieldInfo

from gpocli.settings.docs import field_docs

DEFAULT_TEXT = "gpo_default"
"""Key in `json_schema_extra` of the text that stands for a default which the model itself does not hold."""

_WORDS = {
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "string": "text",
    "array": "a list",
    "object": "a mapping",
    "null": "null",
}


@dataclass(frozen=True, slots=True)
class OptionDoc:
    """One option: `wanted` says what may be given, `default` is None for one that must be given."""

    name: str
    wanted: str
    default: str | None
    doc: str | None


def option_docs(model: type[BaseModel]) -> list[OptionDoc]:
    """The options of a model, in its order; `doc` is the description, or the docstring under the field."""
    schema = _schema(model)
    properties, shared = schema.get("properties", {}), schema.get("$defs", {})
    docs = field_docs(model)
    found = []
    for name, field in model.model_fields.items():
        # The schema is keyed by alias, or by name where a model is populated by that.
        given_name = field.validation_alias if isinstance(field.validation_alias, str) else name
        wanted = phrase(properties.get(given_name, properties.get(name, {})), shared)
        found.append(OptionDoc(given_name, wanted, _default(field), field.description or docs.get(name)))
    return found


def phrase(schema: Mapping[str, Any], shared: Mapping[str, Any]) -> str:
    """What a JSON schema lets through, in words: `a whole number from 1 to 5, or null`."""
    if "$ref" in schema:
        return phrase(shared.get(str(schema["$ref"]).rpartition("/")[2], {}), shared)
    if "anyOf" in schema:
        kinds = [phrase(one, shared) for one in schema["anyOf"]]
        return ", or ".join(sorted(dict.fromkeys(kinds), key=lambda kind: kind == "null"))
    if "enum" in schema or "const" in schema:
        choices = [_text(choice) for choice in schema.get("enum", [schema.get("const")])]
        return choices[0] if len(choices) == 1 else f"one of {', '.join(choices)}"
    return _WORDS.get(str(schema.get("type")), "any value") + _range(schema)


def _range(schema: Mapping[str, Any]) -> str:
    low, above = schema.get("minimum"), schema.get("exclusiveMinimum")
    high, below = schema.get("maximum"), schema.get("exclusiveMaximum")
    if low is not None and high is not None:
        return f" from {low:g} to {high:g}"
    bounds = (("at least", low), ("above", above), ("at most", high), ("below", below))
    words = [f"{word} {bound:g}" for word, bound in bounds if bound is not None]
    return f" {', '.join(words)}" if words else ""


def _default(field: FieldInfo) -> str | None:
    extra = field.json_schema_extra
    if isinstance(extra, dict) and DEFAULT_TEXT in extra:
        return str(extra[DEFAULT_TEXT])
    if field.is_required():
        return None
    return _text(field.get_default(call_default_factory=True, validated_data={}))


def _text(value: Any) -> str:
    if isinstance(value, str) and value:
        return value
    try:
        return json.dumps(value)
    except (TypeError, ValueError):
        return repr(value)


def _schema(model: type[BaseModel]) -> dict[str, Any]:
    try:
        return model.model_json_schema()
    except (PydanticInvalidForJsonSchema, PydanticSchemaGenerationError, PydanticUserError):
        return {}  # types that JSON has no word for
