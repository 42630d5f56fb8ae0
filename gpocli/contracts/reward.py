"""The contract of a reward, held in the one place where rewards are wrapped for the trainer."""

import inspect
import itertools
import logging
import sys
from collections.abc import Callable, Sequence
from typing import Any

from gpocli.contracts.callables import callable_name, innermost
from gpocli.contracts.reward_call import Reward, RewardCall, RewardRules
from gpocli.contracts.scores import shown
from gpocli.errors import PluginError

logger = logging.getLogger("gpocli")

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


_CHECKED = "gpo_checked"


def checked_rewards(
    rewards: Sequence[Any],
    names: Sequence[str] | None = None,
    rules: Sequence[RewardRules] | None = None,
    note: Callable[[str], None] = logger.warning,
) -> list[Any]:
    """Wrap each callable so that what it returns is checked and what goes wrong in it names it.

    A wrapper is called as TRL calls rewards, by keywords alone, and returns one float or None a completion;
    NaN counts as None, "does not apply". It is async when the callable is, and has a readable `__name__` that
    no other reward of the list has: the second of a name gets `#2`. A callable gets what it names, be it as keywords
    or by place, and no more. Reward models (texts and torch modules) and what is wrapped pass through as they are.
    `note` is told of faults that do not stop the run.

    Raises `PluginError` naming the reward, the row (counted from 0) and the value.
    """
    if names is not None and len(names) != len(rewards):
        raise ValueError(f"there are {len(names)} names for {len(rewards)} rewards")
    taken = {_model_name(reward) for reward in rewards if _is_model(reward)}
    taken |= {callable_name(reward) for reward in rewards if hasattr(reward, _CHECKED)}
    checked: list[Any] = []
    for place, reward in enumerate(rewards):
        if _is_model(reward) or hasattr(reward, _CHECKED):
            checked.append(reward)
            continue
        name = names[place] if names is not None else _reward_name(reward)
        unique = _unique(name, taken)
        taken.add(unique)
        checked.append(_wrapped(unique, reward, RewardRules() if rules is None else rules[place], note))
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


def _wrapped(name: str, function: Reward, rules: RewardRules, note: Callable[[str], None]) -> Reward:
    call = RewardCall(name, function, rules, note)

    async def asynchronous(**offered: Any) -> list[float | None]:
        return await call.awaited(offered)

    def synchronous(**offered: Any) -> list[float | None]:
        return call.now(offered)

    inner = innermost(function)
    is_async = inspect.iscoroutinefunction(inner) or inspect.iscoroutinefunction(type(inner).__call__)
    wrapper: Reward = asynchronous if is_async else synchronous
    wrapper.__name__ = wrapper.__qualname__ = name  # TRL logs a reward under it
    wrapper.__doc__ = getattr(function, "__doc__", None)
    setattr(wrapper, _CHECKED, call)
    return wrapper


def call_of(checked: Any) -> RewardCall | None:
    """How a reward of `checked_rewards` is called; None for a reward model."""
    call: RewardCall | None = getattr(checked, _CHECKED, None)
    return call
