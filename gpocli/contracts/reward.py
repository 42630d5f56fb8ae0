"""The contract of a reward, held in the one place where rewards are wrapped for the trainer."""

import inspect
import itertools
import math
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from gpocli.contracts.callables import call_signature, callable_name, innermost, one_line_cause
from gpocli.contracts.scores import as_float, as_list, shown
from gpocli.errors import GpoError, PluginError

Reward = Callable[..., Any]

REWARD_KEYWORDS = (
    "prompts",
    "completions",
    "completion_ids",
    "finished",
    "gpo_row",
    "trainer_state",
    "log_extra",
    "log_metric",
    "environments",
)
"""What a reward can ask for by name besides the data columns; `environments` only where TRL has some."""


def checked_rewards(rewards: Sequence[Any], names: Sequence[str] | None = None) -> list[Any]:
    """Wrap each callable so that what it returns is checked and what goes wrong in it names it.

    A wrapper is called as TRL calls rewards, by keywords alone, and returns one float or None a completion;
    NaN counts as None, "does not apply". It is async when the callable is, and has a readable `__name__` that
    no other reward of the list has: the second of a name gets `#2`. A callable that names only some of the
    keywords gets only those. Reward models (texts and torch modules) pass through as they are.

    Raises `PluginError` naming the reward, the row (counted from 0) and the value.
    """
    if names is not None and len(names) != len(rewards):
        raise ValueError(f"there are {len(names)} names for {len(rewards)} rewards")
    taken = {_model_name(reward) for reward in rewards if _is_model(reward)}
    checked: list[Any] = []
    for place, reward in enumerate(rewards):
        if _is_model(reward):
            checked.append(reward)
            continue
        name = names[place] if names is not None else _reward_name(reward)
        unique = _unique(name, taken)
        taken.add(unique)
        checked.append(_wrapped(unique, reward))
    return checked


def _is_model(reward: Any) -> bool:
    torch = sys.modules.get("torch")  # a module of torch cannot be here before torch is
    return isinstance(reward, str) or (torch is not None and isinstance(reward, torch.nn.Module))


def _model_name(model: Any) -> str:
    """The key under which TRL logs a reward model."""
    identity = model if isinstance(model, str) else getattr(getattr(model, "config", None), "_name_or_path", "")
    return str(identity).split("/")[-1]


def _reward_name(reward: Any) -> str:
    if isinstance(reward, type):
        raise PluginError(f'reward "{reward.__name__}" is a class; pass an instance: {reward.__name__}()')
    if not callable(reward):
        raise PluginError(f"{shown(reward)} is not a reward; pass a callable or a reward model")
    return callable_name(reward)


def _unique(name: str, taken: set[str]) -> str:
    numbered = (f"{name}#{number}" for number in itertools.count(2))
    return next(one for one in itertools.chain([name], numbered) if one not in taken)


def _wrapped(name: str, function: Reward) -> Reward:
    @contextmanager
    def named_faults(offered: Mapping[str, Any]) -> Iterator[None]:
        try:
            yield
        except GpoError:
            raise
        except (Exception, SystemExit) as error:  # a scorer's own command line may exit
            raise PluginError(
                f'reward "{name}" failed on a batch of {len(offered["completions"])}: {one_line_cause(error)}; mend '
                "it, or let it return None for a completion it cannot score"
            ) from error

    async def call_async(**offered: Any) -> list[float | None]:
        with named_faults(offered):
            returned = await function(**_keywords(name, function, offered))
        return _checked(name, returned, len(offered["completions"]))

    def call(**offered: Any) -> list[float | None]:
        with named_faults(offered):
            returned = function(**_keywords(name, function, offered))
        return _checked(name, returned, len(offered["completions"]))

    inner = innermost(function)
    is_async = inspect.iscoroutinefunction(inner) or inspect.iscoroutinefunction(type(inner).__call__)
    wrapper: Reward = call_async if is_async else call
    wrapper.__name__ = wrapper.__qualname__ = name  # TRL logs a reward under it
    wrapper.__doc__ = getattr(function, "__doc__", None)
    wrapper.__wrapped__ = function  # type: ignore[attr-defined]
    return wrapper


def _keywords(name: str, function: Reward, offered: Mapping[str, Any]) -> dict[str, Any]:
    signature = call_signature(function, leading=0)
    assert signature is not None  # nothing takes fewer than no arguments
    if missing := signature.missing(offered):
        raise PluginError(
            f'reward "{name}" needs "{missing[0]}", which is neither a data column nor one of what gpo gives to '
            f"rewards; there are: {', '.join(sorted(offered))}"
        )
    return signature.pick(offered)


def _checked(name: str, returned: Any, rows: int) -> list[float | None]:
    if inspect.iscoroutine(returned):
        returned.close()  # or Python warns that nobody awaited it
        raise PluginError(f'reward "{name}" returned a coroutine; define it with "async def"')
    values = as_list(returned) if getattr(returned, "ndim", 1) == 1 else None
    if values is None:
        raise PluginError(f'reward "{name}" returned {shown(returned)}; return a list with one number a completion')
    if len(values) != rows:
        raise PluginError(
            f'reward "{name}" returned {len(values)} values for {rows} completions; return one number, or None, a '
            "completion"
        )
    return [_checked_value(name, value, row) for row, value in enumerate(values)]


_LARGEST = 3.4e38
"""TRL keeps rewards in 32-bit floats: a larger one would be infinite there, and lost."""


def _checked_value(name: str, value: Any, row: int) -> float | None:
    if value is None:
        return None
    number = as_float(value)
    if number is not None and math.isfinite(number) and abs(number) > _LARGEST:
        raise PluginError(
            f'reward "{name}" returned {shown(value)} for row {row}, which 32 bits cannot hold; return a smaller number'
        )
    if number is None or math.isinf(number):
        raise PluginError(
            f'reward "{name}" returned {shown(value)} for row {row}; return a finite number, or None where it does '
            "not apply"
        )
    return None if math.isnan(number) else number
