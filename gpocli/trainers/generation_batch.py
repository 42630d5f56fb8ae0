"""A generation batch of one process: one value that grows by named steps, from the drawn rows to the advantages."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, TypeVar

from gpocli.contracts.filter_call import Candidate
from gpocli.data import ROW_KEY
from gpocli.rollout import Rollout
from gpocli.rollout.rollout import starts
from gpocli.runs.records import CandidateRecord, Outcome

Step = TypeVar("Step", bound="Drawn")


@dataclass(frozen=True)
class Drawn:
    """P groups of G candidates each before they are sampled, as lists of P*G, group after group.

    `rows` are the data rows (one object a group, repeated), `prompts` what the trainer made of them. `first_row` is the
    number of the first candidate among those of all processes.
    """

    group_size: int
    rows: Sequence[dict[str, Any]]
    prompts: Sequence[Any]
    first_row: int = field(default=0, kw_only=True)

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def groups(self) -> list[range]:
        """The candidates of each group: group g holds exactly g*G to (g+1)*G - 1."""
        return [range(start, start + self.group_size) for start in range(0, len(self), self.group_size)]

    def group_number(self, number: int) -> int:
        """The number of a candidate's group among those of all processes."""
        return (self.first_row + number) // self.group_size

    def sampled(
        self, rollout: Rollout, completions: Sequence[Any], tool_mask: Sequence[Sequence[int]] | None = None
    ) -> "Sampled":
        """With what was written, as tokens and as text or messages; a tool mask is 0 where the policy wrote nothing."""
        return _grown(self, Sampled, rollout=rollout, completions=completions, tool_mask=tool_mask)


@dataclass(frozen=True)
class Sampled(Drawn):
    """Candidates with their completions; a lost one has the tokens with which it was stopped."""

    rollout: Rollout
    completions: Sequence[Any]
    tool_mask: Sequence[Sequence[int]] | None

    @property
    def lengths(self) -> list[int]:
        """Tokens that the policy wrote, the end token included; of a lost candidate, when it was stopped."""
        if self.tool_mask is not None:
            return [sum(row) for row in self.tool_mask]
        return [len(ids) for ids in self.rollout.completion_ids]

    def scored(self, rewards: Mapping[int, tuple[list[float], float]]) -> "Scored":
        """With the rewards of those candidates that were asked, and their weighted sum (NaN: does not apply)."""
        return _grown(self, Scored, rewards=rewards)


@dataclass(frozen=True)
class Scored(Sampled):
    """Candidates with their rewards; those that no reward was asked about have none."""

    rewards: Mapping[int, tuple[list[float], float]]

    def candidate(self, number: int, reward_names: Sequence[str]) -> Candidate:
        """A candidate as a filter sees it."""
        values, total = self.rewards.get(number, (None, None))
        return Candidate(
            row=self.rows[number],
            prompt=self.prompts[number],
            completion=self.completions[number],
            completion_ids=self.rollout.completion_ids[number],
            finished=self.rollout.finished[number],
            rewards=None if values is None else dict(zip(reward_names, values, strict=True)),
            reward=total,
            group=self.group_number(number),
        )

    def selected(self, selection: "Selection") -> "Selected":
        """With the choice of the filter."""
        return _grown(self, Selected, selection=selection)


@dataclass(frozen=True)
class Selection:
    """Which candidates are trained on.

    `kept` has k indices a group in ascending order; those at `surplus` (positions in `kept`) only fill up a group
    whose filter keeps fewer, or a generation batch. `scores` has one tuple a candidate, None for a lost one; it is None
    without a filter. `left_out` are candidates that the filter chose in groups that are not trained on, each with the
    outcome that records tell of it.
    """

    kept: Sequence[int]
    surplus: Sequence[int] = ()
    scores: Sequence[tuple[float, ...] | None] | None = None
    left_out: Mapping[int, Outcome] = field(default_factory=dict)


@dataclass(frozen=True)
class Selected(Scored):
    """Candidates of which some are kept."""

    selection: Selection

    @property
    def trained(self) -> list[int]:
        """The kept candidates without those that only fill up a group."""
        surplus = set(self.selection.surplus)
        return [number for row, number in enumerate(self.selection.kept) if row not in surplus]

    @classmethod
    def joined(cls, parts: "Sequence[Selected]") -> "Selected":
        """Candidates that were sampled and chosen in turns, as one batch. Tools are in none of them."""
        first, begin = parts[0], starts(parts)
        kept_begin = starts([part.selection.kept for part in parts])
        numbered = list(zip(begin, kept_begin, parts, strict=True))
        scores = [part.selection.scores for part in parts]
        selection = Selection(
            kept=[start + number for start, _, part in numbered for number in part.selection.kept],
            surplus=[start + row for _, start, part in numbered for row in part.selection.surplus],
            scores=None if scores[0] is None else [score for part in scores for score in part or ()],
        )
        return cls(
            first.group_size,
            [row for part in parts for row in part.rows],
            [prompt for part in parts for prompt in part.prompts],
            first_row=sum(part.first_row for part in parts),
            rollout=Rollout.joined([part.rollout for part in parts]),
            completions=[completion for part in parts for completion in part.completions],
            tool_mask=None,
            rewards={start + number: paid for start, _, part in numbered for number, paid in part.rewards.items()},
            selection=selection,
        )

    def scored_later(self, rewards: Mapping[int, tuple[list[float], float]]) -> "Selected":
        """With the rewards of the kept ones, where the filter needed none to choose them."""
        return _grown(self, Selected, rewards=rewards)

    def advantaged(self, advantages: Sequence[float]) -> "Advantaged":
        """With one advantage for each kept candidate, in the order of `selection.kept`."""
        return _grown(self, Advantaged, advantages=advantages)


@dataclass(frozen=True)
class Advantaged(Selected):
    """A generation batch that is ready to train on."""

    advantages: Sequence[float]

    def records(self, reward_names: Sequence[str], step: int, first_row: int) -> list[CandidateRecord]:
        """One record a candidate; `first_row` is the number of the first one among those of all processes."""
        surplus = set(self.selection.surplus)
        advantage_of = {
            number: self.advantages[row] for row, number in enumerate(self.selection.kept) if row not in surplus
        }
        return [self._record(i, reward_names, step, first_row + i, advantage_of.get(i)) for i in range(len(self))]

    def _record(
        self, i: int, reward_names: Sequence[str], step: int, place: int, advantage: float | None
    ) -> CandidateRecord:
        values, total = self.rewards.get(i, ([None] * len(reward_names), None))
        dropped = self.selection.left_out.get(i, "lost" if self.rollout.lost[i] else "rejected")
        return CandidateRecord(
            step=step,
            prompt_id=self.rows[i].get(ROW_KEY, ""),
            group=place // self.group_size,
            candidate=place % self.group_size,
            prompt=_text(self.prompts[i]),
            completion=_text(self.completions[i]),
            tokens=list(self.rollout.completion_ids[i]),
            length=len(self.rollout.completion_ids[i]),
            finished=self.rollout.finished[i],
            rewards={name: _none_if_nan(value) for name, value in zip(reward_names, values, strict=True)},
            reward=_none_if_nan(total),
            filter_score=None if self.selection.scores is None else self.selection.scores[i],
            kept=advantage is not None,
            outcome=dropped if advantage is None else "kept",
            advantage=advantage,
        )


def _grown(value: Drawn, step: type[Step], **more: Any) -> Step:
    return step(**{field.name: getattr(value, field.name) for field in fields(value)} | more)


def _none_if_nan(value: float | None) -> float | None:
    return None if value is None or value != value else value


def _text(prompt_or_completion: Any) -> str:
    if isinstance(prompt_or_completion, str):
        return prompt_or_completion
    return "\n".join(str(message.get("content", "")) for message in prompt_or_completion)
