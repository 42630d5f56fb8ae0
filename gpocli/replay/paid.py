"""What recorded candidates are paid: by the record, or by rewards that are asked anew."""

import asyncio
import inspect
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from gpocli.contracts.filter_call import Candidate
from gpocli.contracts.race import reward_bound
from gpocli.contracts.reward import call_of
from gpocli.contracts.reward_call import SKIPPED


@dataclass(frozen=True, slots=True)
class Pay:
    """Rewards, as `checked_rewards` makes them, with names and weights; asked as in training, in 32-bit floats."""

    functions: Sequence[Any]
    names: Sequence[str]
    weights: Sequence[float]

    def ask(self, candidates: Sequence[Candidate], trainer_state: object) -> list[Candidate]:
        """The candidates with their rewards; NaN where one does not apply."""
        if not candidates:
            return []
        offered = _offered(candidates, trainer_state)
        told_FB = [_called(function, offered) for function in self.functions]
        return [
            self._paid(one, list(values)) for one, values in zip(candidates, zip(*told_FB, strict=True), strict=True)
        ]

    def most(self, length: int) -> tuple[float, dict[str, float]]:
        """The highest weighted sum, and the highest rewards, of one with `length` tokens that has not ended."""
        bounds = [_bound(function, length) for function in self.functions]
        if any(weight < 0 for weight in self.weights):
            return math.inf, dict(zip(self.names, bounds, strict=True))
        # One that does not apply adds nothing, which may be more than a penalty does.
        total = weighted_sum([max(0.0, bound) for bound in bounds], self.weights)
        return total, dict(zip(self.names, bounds, strict=True))

    def _paid(self, one: Candidate, values: list[float]) -> Candidate:
        values = [math.nan] * len(values) if SKIPPED in values else values
        total = weighted_sum(values, self.weights)
        return replace(one, rewards=dict(zip(self.names, values, strict=True)), reward=total)


def weighted_sum(values: Sequence[float], weights: Sequence[float]) -> float:
    """The sum that a trainer makes of a completion's rewards, in 32-bit floats; NaN where none applies."""
    import numpy as np

    known = np.asarray(values, dtype=np.float32)
    if np.isnan(known).all():
        return math.nan
    return float(np.nansum(known * np.asarray(weights, dtype=np.float32), dtype=np.float32))


def _offered(candidates: Sequence[Candidate], trainer_state: object) -> dict[str, Any]:
    columns = [name for name in candidates[0].row if name not in ("prompt", "completion", "completion_ids")]
    offered: dict[str, Any] = {name: [one.row[name] for one in candidates] for name in columns}
    return offered | {
        "prompts": [one.prompt for one in candidates],
        "completions": [one.completion for one in candidates],
        "completion_ids": [list(one.completion_ids) for one in candidates],
        "finished": [one.finished for one in candidates],
        "trainer_state": trainer_state,
        "log_extra": _ignore,
        "log_metric": _ignore,
    }


def _called(function: Any, offered: Mapping[str, Any]) -> list[float]:
    import numpy as np

    told = function(**offered)
    values = asyncio.run(told) if inspect.iscoroutine(told) else told
    return [math.nan if value is None else float(np.float32(value)) for value in values]


def _bound(function: Any, length: int) -> float:
    call = call_of(function)
    if call is None or not callable(getattr(call.function, "reward_bound", None)):
        return math.inf
    return reward_bound(function, length)


def _ignore(*_: Any, **__: Any) -> None:
    """Stand in for the trainer's logging."""
