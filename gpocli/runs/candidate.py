"""What a trainer reports of one sampled completion. Free of torch, so that the recording side can import it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CandidateRecord:
    """One candidate of one generation batch, with everything that decided its fate.

    `step` is the optimizer step that the generation batch was made for, `prompt_id` names the data row,
    `group` and `candidate` count from 0 within the generation batch and within the group. `length` is in
    tokens, the end token included; for a lost candidate it is the length at which it was stopped. `rewards`
    holds each reward by name, None where it does not apply or was not asked; `reward` is their weighted sum.
    `filter_score` has one number a filter of the chain. `outcome` is "kept", "rejected" or "lost".
    `advantage` is None for a candidate that the policy is not trained on.
    """

    step: int
    prompt_id: str | int
    group: int
    candidate: int
    prompt: str
    completion: str
    tokens: list[int]
    length: int
    finished: bool
    rewards: dict[str, float | None]
    reward: float | None
    filter_score: tuple[float, ...] | None
    kept: bool
    outcome: str
    advantage: float | None
