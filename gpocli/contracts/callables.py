"""What can be told about a callable that somebody else wrote: its name, its keywords, why it failed."""

import functools
import inspect
import itertools
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import Parameter
from pathlib import PurePath
from typing import Any


def innermost(function: Callable[..., Any]) -> Callable[..., Any]:
    """What partials, one in another, are partials of."""
    while isinstance(function, functools.partial):
        function = function.func
    return function


def callable_name(function: Callable[..., Any]) -> str:
    """A readable name that stays the same from run to run, for functions, partials, instances and lambdas."""
    function = innermost(function)
    owner = getattr(function, "__self__", None)
    name: object = getattr(function, "__name__", None)
    if not isinstance(name, str):  # an instance that is called
        return type(function).__name__
    if inspect.ismethod(function) and owner is not None:
        kind = owner if isinstance(owner, type) else type(owner)
        return f"{kind.__name__}.{name}"
    return "lambda" if name == "<lambda>" else name


def one_line_cause(error: BaseException) -> str:
    """`ValueError: text (file.py:12)`: the error on one line, with the place it was raised at."""
    text = " ".join(str(error).split())
    cause = f"{type(error).__name__}: {text}" if text else type(error).__name__
    frames = traceback.extract_tb(error.__traceback__)
    # The innermost file: frames such as <string> and <frozen importlib> say nothing.
    places = [f"{PurePath(one.filename).name}:{one.lineno}" for one in frames if not one.filename.startswith("<")]
    return (
        f"{cause} ({places[-1]})" if places and not isinstance(error, SyntaxError) else cause
    )  # it names its own place


@dataclass(frozen=True, slots=True)
class CallSignature:
    """What a callable takes after its leading positional arguments.

    `leading` are the names it gives to those, `named` the keywords it names, `required` those of them without
    a default, `takes_all` is true when it has `**kwargs`, `bound` are keywords that a partial has fixed. `positional`
    are further ones that it takes by their place alone.
    """

    leading: tuple[str, ...]
    named: frozenset[str]
    required: frozenset[str]
    takes_all: bool
    bound: frozenset[str]
    positional: tuple[str, ...] = ()

    def pick(self, offered: Mapping[str, Any]) -> dict[str, Any]:
        """The part of `offered` that the callable can be given as keywords."""
        taken = self.bound.union(self.leading)
        return {
            name: value
            for name, value in offered.items()
            if name not in taken and (self.takes_all or name in self.named)
        }

    def arguments(self, offered: Mapping[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        """The part of `offered` that the callable takes, each under its name: by place, and as keywords."""
        there = itertools.takewhile(offered.__contains__, self.positional)  # those after one that is not have defaults
        return [offered[name] for name in there], self.pick(
            {name: value for name, value in offered.items() if name not in self.positional}
        )

    def missing(self, offered: Mapping[str, Any]) -> list[str]:
        """The names that the callable cannot do without and that are not in `offered`."""
        return sorted(self.required.difference(offered))


def call_signature(function: Callable[..., Any], leading: int) -> CallSignature | None:
    """The signature of `function` called with `leading` positional arguments; None when it takes fewer."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):  # written in C without a signature: positional arguments only
        return CallSignature((), frozenset(), frozenset(), takes_all=False, bound=frozenset())
    positional = [p for p in parameters if p.kind in (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)]
    takes_more = any(p.kind is Parameter.VAR_POSITIONAL for p in parameters)
    if len(positional) < leading and not takes_more:
        return None
    first = positional[:leading]
    keywords = [
        p for p in parameters if p not in first and p.kind in (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)
    ]
    by_place = [p for p in positional[leading:] if p.kind is Parameter.POSITIONAL_ONLY]
    bound = function.keywords if isinstance(function, functools.partial) else {}
    return CallSignature(
        leading=tuple(p.name for p in first if p.kind is Parameter.POSITIONAL_OR_KEYWORD),
        named=frozenset(p.name for p in keywords),
        required=frozenset(p.name for p in [*keywords, *by_place] if p.default is Parameter.empty),
        takes_all=any(p.kind is Parameter.VAR_KEYWORD for p in parameters),
        bound=frozenset(bound),
        positional=tuple(p.name for p in by_place),
    )
