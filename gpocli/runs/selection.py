"""Which of the recorded candidates somebody asks for."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gpocli.errors import SpecError
from gpocli.runs.groups import GroupFiles, RecordedGroup
from gpocli.runs.records import CandidateRecord, Outcome


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked for: groups of these steps and of this prompt, that have a candidate of these outcomes and rewards.

    `steps` and `rewards` are bounds, both included; None: any. A candidate without a reward has none that is in bounds.
    """

    steps: tuple[int, int] | None = None
    prompt_id: str | None = None
    outcomes: Sequence[Outcome] = ()
    rewards: tuple[float, float] | None = None

    def groups(self, files: GroupFiles) -> Iterator[tuple[RecordedGroup, list[CandidateRecord]]]:
        """Those groups in the order of the run, each with the candidates that are asked for."""
        for batch in files.batches(self._has_step, self.prompt_id):
            for group in batch:
                if found := [one for one in group.candidates if self._is_meant(one)]:
                    yield group, found

    def _has_step(self, step: int) -> bool:
        return self.steps is None or self.steps[0] <= step <= self.steps[1]

    def _is_meant(self, one: CandidateRecord) -> bool:
        if self.outcomes and one.outcome not in self.outcomes:
            return False
        return self.rewards is None or (one.reward is not None and self.rewards[0] <= one.reward <= self.rewards[1])


def read_steps(text: str, steps: Sequence[int]) -> tuple[int, int] | None:
    """The bounds that `last`, `all`, `7` and `7-9` stand for in a run that recorded `steps`. Raises SpecError."""
    if text == "all" or not steps:
        return None
    if text in ("first", "last"):
        step = steps[0] if text == "first" else steps[-1]
        return step, step
    low, dash, high = text.partition("-")
    if not low.isdecimal() or (dash and not high.isdecimal()):
        raise SpecError(f"--step '{text}' is no step; write 7, 7-9, first, last or all")
    bounds = int(low), int(high) if dash else int(low)
    if not any(bounds[0] <= step <= bounds[1] for step in steps):
        raise SpecError(f"nothing is recorded of step {text}; there are steps {steps[0]} to {steps[-1]}")
    return bounds


def read_rewards(text: str) -> tuple[float, float]:
    """The bounds that `0.5`, `0.5:1`, `0.5:` and `:1` stand for. Raises SpecError."""
    low, colon, high = text.partition(":")
    try:
        if not colon:
            return float(low), float(low)
        return float(low or "-inf"), float(high or "inf")
    except ValueError:
        raise SpecError(f"--with-reward '{text}' is no reward; write 0.5, 0.5:1, 0.5: or :1") from None
