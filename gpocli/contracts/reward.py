"""The contract of a reward, held in the one place where rewards are wrapped for the trainer."""

import functools
import inspect
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gpocli.contracts.callables import CallSignature, call_signature, callable_name, one_line_cause
from gpocli.contracts.scores import as_float, shown
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
        checked.append(_wrapped(_CheckedReward.of(unique, reward)))
    return checked


def _is_model(reward: Any) -> bool:
    torch = sys.modules.get("torch")
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
    number = 1
    unique = name
    while unique in taken:
        number += 1
        unique = f"{name}#{number}"
    return unique


@dataclass(frozen=True, slots=True)
class _CheckedReward:
    """One reward: how it is called, and how its faults are told."""

    name: str
    function: Reward
    signature: CallSignature

    @classmethod
    def of(cls, name: str, function: Reward) -> "_CheckedReward":
        signature = call_signature(function, leading=0)
        if signature is None:  # cannot be: nothing takes fewer than no arguments
            raise PluginError(f'reward "{name}" cannot be called; pass a function that takes keywords')
        return cls(name, function, signature)

    @property
    def is_async(self) -> bool:
        function = self.function
        while isinstance(function, functools.partial):
            function = function.func
        return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(type(function).__call__)

    def keywords(self, offered: Mapping[str, Any]) -> dict[str, Any]:
        missing = self.signature.missing(offered)
        if missing:
            raise PluginError(
                f'reward "{self.name}" needs "{missing[0]}", which is neither a data column nor one of what gpo '
                f"gives to rewards; there are: {', '.join(sorted(offered))}"
            )
        return self.signature.pick(offered)

    def failure(self, error: Exception, rows: int) -> PluginError:
        return PluginError(
            f'reward "{self.name}" failed on a batch of {rows}: {one_line_cause(error)}; mend it, or let it '
            "return None for a completion it cannot score"
        )

    def checked(self, returned: Any, rows: int) -> list[float | None]:
        if inspect.iscoroutine(returned):
            returned.close()
            raise PluginError(f'reward "{self.name}" returned a coroutine; define it with "async def"')
        values = _as_list(returned)
        if values is None:
            raise PluginError(
                f'reward "{self.name}" returned {shown(returned)}; return a list with one number a completion'
            )
        if len(values) != rows:
            raise PluginError(
                f'reward "{self.name}" returned {len(values)} values for {rows} completions; return one number, '
                "or None, a completion"
            )
        return [self._checked_value(value, row) for row, value in enumerate(values)]

    def _checked_value(self, value: Any, row: int) -> float | None:
        if value is None:
            return None
        number = as_float(value)
        if number is None or math.isinf(number):
            raise PluginError(
                f'reward "{self.name}" returned {shown(value)} for row {row}; return a finite number, or None '
                "where it does not apply"
            )
        return None if math.isnan(number) else number


def _as_list(value: Any) -> list[Any] | None:
    if isinstance(value, list | tuple):
        return list(value)
    if getattr(value, "ndim", 0) == 1 and hasattr(value, "tolist"):  # an array or a tensor
        return list(value.tolist())
    return None


def _wrapped(reward: _CheckedReward) -> Reward:
    async def call_async(**offered: Any) -> list[float | None]:
        rows = _rows(offered)
        keywords = reward.keywords(offered)
        try:
            returned = await reward.function(**keywords)
        except GpoError:
            raise
        except Exception as error:
            raise reward.failure(error, rows) from error
        return reward.checked(returned, rows)

    def call(**offered: Any) -> list[float | None]:
        rows = _rows(offered)
        keywords = reward.keywords(offered)
        try:
            returned = reward.function(**keywords)
        except GpoError:
            raise
        except Exception as error:
            raise reward.failure(error, rows) from error
        return reward.checked(returned, rows)

    wrapper: Reward = call_async if reward.is_async else call
    wrapper.__name__ = wrapper.__qualname__ = reward.name
    wrapper.__doc__ = getattr(reward.function, "__doc__", None)
    wrapper.__wrapped__ = reward.function  # type: ignore[attr-defined]
    return wrapper


def _rows(offered: Mapping[str, Any]) -> int:
    return len(offered["completions"])
