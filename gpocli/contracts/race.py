"""What filters and rewards promise so that a group can race, and why one cannot."""

import inspect
from collections.abc import Sequence
from typing import Any

from gpocli.contracts.callables import one_line_cause
from gpocli.contracts.filter import GroupFilter
from gpocli.contracts.reward import call_of
from gpocli.contracts.scores import checked_bound
from gpocli.errors import GpoError, PluginError

OF_BATCHES = {"log_extra", "log_metric"}
"""What a reward is not given in a race."""


class NotNow(GpoError):
    """Raised by a reward that is asked `in_race` and would take long: it is asked again when the race is over."""


def why_no_race(group_filter: GroupFilter, rewards: Sequence[Any], weights: Sequence[float]) -> str | None:
    """Why all candidates of a group must be sampled to their end, in a few words; None where losers are stopped.

    `rewards` are what `checked_rewards` makes.
    """
    reason = group_filter.why_no_race
    if reason is not None or not group_filter.needs_rewards:
        return reason
    for reward, weight in zip(rewards, weights, strict=True):
        if (reason := _why_not(reward, weight)) is not None:
            return f"filter '{group_filter.name}' needs rewards, and {reason}"
    return None


def _why_not(reward: Any, weight: float) -> str | None:
    """Why a reward cannot be asked about one candidate while the others still run."""
    call = call_of(reward)
    if call is None:
        return "a reward model takes whole batches"
    if not callable(getattr(call.function, "reward_bound", None)) or inspect.iscoroutinefunction(reward):
        return f"reward '{call.name}' has no reward_bound"
    if weight < 0:
        return f"reward '{call.name}' has a weight below 0"
    if call.rules.on_error != "stop":
        return f"reward '{call.name}' has on_error: {call.rules.on_error}, which is of whole batches"
    if logs := sorted(call.signature.named & OF_BATCHES):
        return f"reward '{call.name}' names {logs[0]}, which is of whole batches"
    return None


def reward_bound(reward: Any, length: int) -> float:
    """The highest reward that a completion with `length` tokens that has not ended could still get.

    Infinity: nothing is known. Raises `PluginError` for what is no such number.
    """
    call = call_of(reward)
    assert call is not None
    try:
        returned = call.function.reward_bound(length)  # type: ignore[attr-defined]
    except (Exception, SystemExit) as error:
        raise PluginError(f'reward "{call.name}" (reward_bound) failed: {one_line_cause(error)}') from error
    return checked_bound(returned, length, f'reward "{call.name}"', "reward")
