"""How often each prompt of a run was answered rightly, visit by visit."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from gpocli.evaluation.grader import right_reward
from gpocli.evaluation.right import RIGHT
from gpocli.runs.groups import RecordedGroup


@dataclass(frozen=True, slots=True)
class Visit:
    """A group that was drawn for a prompt; `rate` is the share of right ones among those whose reward is known."""

    step: int
    rate: float


@dataclass(frozen=True, slots=True)
class Visited:
    """A prompt and its visits, in the order of the run; those of which no reward is known are left out."""

    prompt_id: str
    prompt: str
    visits: list[Visit]

    @property
    def rate(self) -> float:
        """The mean over the visits."""
        return math.fsum(one.rate for one in self.visits) / len(self.visits)


def visited(groups: Iterable[RecordedGroup]) -> list[Visited]:
    """The prompts of recorded groups, the hardest first; right is what `gpo eval` calls so, else a sum above 0."""
    found: dict[str, Visited] = {}
    for group in groups:
        if (rate := _rate(group)) is not None:
            prompt = found.setdefault(group.prompt_id, Visited(group.prompt_id, group.prompt, []))
            prompt.visits.append(Visit(group.step, rate))
    return sorted(found.values(), key=lambda one: one.rate)


def _rate(group: RecordedGroup) -> float | None:
    right = right_reward(list(group.candidates[0].rewards))
    paid = [one.reward if right is None else one.rewards.get(right) for one in group.candidates]
    known = [reward > (0.0 if right is None else RIGHT) for reward in paid if reward is not None]
    return sum(known) / len(known) if known else None
