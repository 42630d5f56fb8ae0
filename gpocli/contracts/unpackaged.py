"""A filter, reward or guard that no plugin gives, as an extension record: a function, a class, or a record already."""

import inspect
from collections.abc import Callable
from inspect import Parameter
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, create_model

from gpocli.contracts.option_docs import DEFAULT_TEXT
from gpocli.contracts.plugin import RECORDS, Kind, PluginFault, check_extension
from gpocli.contracts.reference import Referenced
from gpocli.contracts.scores import shown
from gpocli.errors import PluginError
from gpocli.extensions import FilterExtension, GuardExtension, NoOptions, RewardExtension

_SUMMARY = "not packaged"
_RECORD: dict[Kind, type[FilterExtension] | type[RewardExtension] | type[GuardExtension]] = {
    "filter": FilterExtension,
    "reward": RewardExtension,
    "guard": GuardExtension,
}


def as_extension(found: Referenced, reference: str, kind: Kind) -> FilterExtension | RewardExtension | GuardExtension:
    """The record of what `reference` leads to, a "filter", a "reward" or a "guard".

    A class is made with its options as keywords, and its signature says which there are; a function has none.
    Raises `PluginError` when it is nothing of the kind.
    """
    record = _RECORD[kind]
    value = found.value
    if isinstance(value, record):
        try:
            check_extension(value)
        except PluginFault as fault:
            raise PluginError(f"{kind} '{reference}': {fault}") from fault
        return value
    if isinstance(value, tuple(RECORDS.values())) or not callable(value):
        raise PluginError(f"{kind} '{reference}' is {shown(value)}; name a function, a class or a {record.__name__}")
    if isinstance(value, type):
        return record(found.name, _maker(value), _SUMMARY, _options_of(value))
    return record(found.name, lambda options: value, _SUMMARY, NoOptions)


def _maker(kind: type) -> Callable[[BaseModel], Any]:
    def make(options: BaseModel) -> Any:
        return kind(**options.model_dump(by_alias=True, exclude_unset=True))

    return make


def _options_of(kind: type) -> type[BaseModel]:
    """A model with one option for each keyword of the class, of any type; all names when it has `**kwargs`.

    The fields have made-up names and the keywords are their aliases, for a keyword may be called `copy`.
    """
    try:
        parameters = list(inspect.signature(kind).parameters.values())
    except (TypeError, ValueError):  # written in C without a signature
        parameters = []
    keywords = [p for p in parameters if p.kind in (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)]
    fields: dict[str, Any] = {}
    for number, keyword in enumerate(keywords):
        is_required = keyword.default is Parameter.empty
        extra: dict[str, Any] = {} if is_required else {DEFAULT_TEXT: repr(keyword.default)}
        default = ... if is_required else None
        fields[f"option_{number}"] = (Any, Field(default, alias=keyword.name, json_schema_extra=extra))
    takes_all = any(p.kind is Parameter.VAR_KEYWORD for p in parameters)
    config = ConfigDict(extra="allow" if takes_all else "forbid", frozen=True)
    return create_model(f"{kind.__name__}Options", __config__=config, **fields)
