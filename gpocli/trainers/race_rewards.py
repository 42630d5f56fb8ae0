"""The rewards of candidates that end while others of their group still run: asked here, one at a time."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch

from gpocli.contracts.filter_call import Candidate
from gpocli.contracts.race import reward_bound

_NOT_COLUMNS = ("prompt", "completion", "completion_ids")


@dataclass(frozen=True, slots=True)
class RaceRewards:
    """Rewards, as `checked_rewards` makes them, that all have a `reward_bound`: the promise to need no other candidate.

    They are asked with the arguments that TRL gives them but for `log_extra` and `log_metric`, and what they return is
    kept in 32-bit floats as there: a race and a whole batch come to the same rewards and sums, to the bit.
    """

    functions: Sequence[Any]
    names: Sequence[str]
    weights_F: torch.Tensor

    def ask(self, candidates: Sequence[Candidate], trainer_state: Any, **more: Any) -> torch.Tensor:
        """The rewards [candidates, rewards], NaN where one does not apply."""
        rows = [{"finished": one.finished, **one.row} for one in candidates]
        keywords = {name: [row[name] for row in rows] for name in rows[0] if name not in _NOT_COLUMNS} | {
            "prompts": [one.prompt for one in candidates],
            "completions": [one.completion for one in candidates],
            "completion_ids": [one.completion_ids for one in candidates],
            "trainer_state": trainer_state,
            **more,
        }
        told_FB = [[torch.nan if v is None else v for v in function(**keywords)] for function in self.functions]
        return torch.tensor(told_FB, dtype=torch.float32).T

    def paid(self, candidate: Candidate, values_F: Sequence[float]) -> Candidate:
        """The candidate with its rewards."""
        total = weighted_sums(torch.tensor([values_F]), self.weights_F).item()
        return replace(candidate, rewards=dict(zip(self.names, values_F, strict=True)), reward=total)

    def most(self, length: int) -> tuple[float, dict[str, float]]:
        """The highest weighted sum, and the highest rewards, of one with `length` tokens that has not ended.

        Rounding to 32 bits, products with weights and sums in one order do not change what is more: so this holds to
        the bit. A reward that does not apply adds nothing, which may be more than a penalty does.
        """
        bounds_F = torch.tensor([reward_bound(function, length) for function in self.functions])
        total = weighted_sums(bounds_F.clamp(min=0.0).unsqueeze(0), self.weights_F).item()
        return total, dict(zip(self.names, bounds_F.tolist(), strict=True))


def weighted_sums(scored_BF: torch.Tensor, weights_F: torch.Tensor) -> torch.Tensor:
    """The weighted sum of the rewards of each row, NaN where no reward applies; shapes [B, F], [F] -> [B].

    On the CPU, where a row's sum does not depend on the other rows, not even by rounding.
    """
    scored_BF = scored_BF.cpu()
    totals_B = (scored_BF * weights_F.cpu()).nansum(1)
    totals_B[scored_BF.isnan().all(1)] = torch.nan
    return totals_B
