"""The candidates of one generation batch on one process, from sampling to selection."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from gpocli.contracts.filter import GroupFilter, mean_rewards, select
from gpocli.data import ROW_KEY
from gpocli.runs.candidate import CandidateRecord


@dataclass
class Candidates:
    """P groups of G candidates each, as lists of P*G, group after group.

    `rows` are the data rows (one object a group, repeated). `rewards` has one list of floats a candidate (NaN: does
    not apply) and `totals` their weighted sum; both hold None for a candidate that no reward was asked about.
    """

    group_size: int
    rows: list[dict[str, Any]]
    prompts: list[Any]
    completions: list[Any] = field(default_factory=list)
    completion_ids: list[list[int]] = field(default_factory=list)
    finished: list[bool] = field(default_factory=list)
    lost: list[bool] = field(default_factory=list)
    rewards: list[list[float] | None] = field(default_factory=list)
    totals: list[float | None] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def groups(self) -> list[range]:
        """The candidates of each group: group g holds exactly g*G to (g+1)*G - 1."""
        return [range(start, start + self.group_size) for start in range(0, len(self), self.group_size)]

    @property
    def lengths(self) -> list[int]:
        """Tokens of each candidate, the end token included; of a lost one, when it was stopped."""
        return [len(ids) for ids in self.completion_ids]


@dataclass
class Selection:
    """Which candidates are trained on.

    `kept` has `keep` indices a group in ascending order; those at `surplus` (positions in `kept`) only fill up a
    group whose filter keeps fewer. `scores` has one tuple a candidate, None for a lost one.
    """

    kept: list[int]
    surplus: list[int]
    scores: list[tuple[float, ...] | None]


def select_candidates(
    candidates: Candidates,
    group_filter: GroupFilter,
    keep: int,
    reward_names: Sequence[str],
    trainer_state: object,
    gather_means: Callable[[list[float]], list[float]],
) -> Selection:
    """Score the candidates of each group and choose the `keep` highest; lost ones are not eligible.

    `gather_means` turns the mean rewards of this process's groups into those of all processes.
    """
    eligible = [[i for i in group if not candidates.lost[i]] for group in candidates.groups]

    def grouped(values: Sequence[Any]) -> list[list[Any]]:
        return [[values[i] for i in group] for group in eligible]

    columns = {name: grouped([row[name] for row in candidates.rows]) for name in candidates.rows[0] if name != "prompt"}
    totals = by_name = None
    if group_filter.needs_rewards:
        totals = grouped(candidates.totals)
        rewards = grouped(candidates.rewards)
        by_name = {name: [[values[i] for values in group] for group in rewards] for i, name in enumerate(reward_names)}
    told = columns | {
        "completion_ids": grouped(candidates.completion_ids),
        "completion_lengths": grouped(candidates.lengths),
        "finished": grouped(candidates.finished),
        "prompts": grouped(candidates.prompts),
        "rewards_per_func": by_name,
        "trainer_state": trainer_state,
    }
    scores_PG = group_filter.score(grouped(candidates.completions), totals, **told)
    counts = [keep] * len(eligible)
    if group_filter.adaptive:
        assert totals is not None
        counts = group_filter.keep_counts(keep, totals, all_mean_rewards=gather_means(mean_rewards(totals)), **told)

    scores: list[tuple[float, ...] | None] = [None] * len(candidates)
    kept: list[int] = []
    surplus: list[int] = []
    for group, scores_G, count in zip(eligible, scores_PG, counts, strict=True):
        for i, score in zip(group, scores_G, strict=True):
            scores[i] = score
        trained = {group[position] for position in select(scores_G, count)}
        for position in select(scores_G, keep):
            if group[position] not in trained:
                surplus.append(len(kept))
            kept.append(group[position])
    return Selection(kept, surplus, scores)


def to_records(
    candidates: Candidates,
    selection: Selection | None,
    advantages: Sequence[float],
    reward_names: Sequence[str],
    step: int,
    first_row: int,
) -> list[CandidateRecord]:
    """One record a candidate; `advantages` has one number for each kept candidate, in the order of `kept`.

    `first_row` is the number of this process's first candidate among those of all processes.
    """
    kept = list(range(len(candidates))) if selection is None else selection.kept
    surplus = set() if selection is None else set(selection.surplus)
    advantage_of = {i: advantages[row] for row, i in enumerate(kept) if row not in surplus}
    records = []
    for i, row in enumerate(candidates.rows):
        asked = candidates.rewards[i]
        rewards = dict.fromkeys(reward_names) if asked is None else dict(zip(reward_names, asked, strict=True))
        is_lost, is_kept = candidates.lost[i], i in advantage_of
        records.append(
            CandidateRecord(
                step=step,
                prompt_id=row.get(ROW_KEY, ""),
                group=(first_row + i) // candidates.group_size,
                candidate=(first_row + i) % candidates.group_size,
                prompt=_text(candidates.prompts[i]),
                completion=_text(candidates.completions[i]),
                tokens=list(candidates.completion_ids[i]),
                length=len(candidates.completion_ids[i]),
                finished=candidates.finished[i],
                rewards={name: _none_if_nan(value) for name, value in rewards.items()},
                reward=_none_if_nan(candidates.totals[i]),
                filter_score=None if selection is None else selection.scores[i],
                kept=is_kept,
                outcome="kept" if is_kept else "lost" if is_lost else "rejected",
                advantage=advantage_of.get(i),
            )
        )
    return records


def _none_if_nan(value: float | None) -> float | None:
    return None if value is None or value != value else value


def _text(prompt_or_completion: Any) -> str:
    if isinstance(prompt_or_completion, str):
        return prompt_or_completion
    return "\n".join(str(message.get("content", "")) for message in prompt_or_completion)
