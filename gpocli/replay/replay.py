"""A filter on recorded generation batches: which candidates it would have kept, and of which groups that is certain."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import SimpleNamespace
from typing import Any

from gpocli.contracts.filter import GroupFilter, mean_rewards, select
from gpocli.contracts.filter_call import Candidate, filter_call
from gpocli.replay.paid import Pay
from gpocli.runs.groups import GroupFiles, RecordedGroup
from gpocli.runs.records import CandidateRecord


@dataclass(frozen=True, slots=True)
class Choice:
    """What a filter keeps of a recorded group: candidates by their place in it.

    `rewards` are those of the kept, NaN where none applies, None where nobody asked. `is_certain`: no lost candidate
    could have been kept, however it would have gone on.
    """

    group: RecordedGroup
    kept: list[int]
    rewards: list[float | None]
    is_certain: bool

    @property
    def recorded(self) -> list[int]:
        """The places of those that the run kept, be it in a group that it did not train on."""
        return [place for place, one in enumerate(self.group.candidates) if one.kept or one.outcome == "flat"]

    @property
    def lengths(self) -> list[int]:
        """Of the kept, in tokens."""
        return [self.group.candidates[place].length for place in self.kept]


@dataclass(frozen=True)
class Replay:
    """Keeps `keep` of each recorded group with a filter.

    `rows` are the data of the run by their number as text; a group whose row is not there has the prompt alone.
    `pay` are rewards to ask: for all candidates where `asks_all`, else for those that the filter needs and whose
    rewards the run did not ask. `all_asked`: the run asked for those of every candidate that it did not lose.
    `has_all_steps`: it recorded every generation batch.
    """

    group_filter: GroupFilter
    keep: int
    rows: Mapping[str, Mapping[str, Any]]
    steps: int
    pay: Pay | None = None
    asks_all: bool = False
    all_asked: bool = False
    has_all_steps: bool = True

    def choices(self, files: GroupFiles) -> Iterator[Choice]:
        """The choice in each recorded group, in the order of the run. Raises PluginError and SpecError."""
        was_lost = not self.has_all_steps
        for batch in files.batches():
            outcomes = {one.outcome for group in batch for one in group.candidates}
            was_lost = was_lost or not outcomes.isdisjoint(("lost", "flat"))
            # What an adaptive filter has learned depends on all rewards before, those of the lost too, and on the turns
            # in which flat groups gave their places to others.
            yield from self._of_batch(batch, none_certain=self.group_filter.adaptive and was_lost)

    def _of_batch(self, batch: Sequence[RecordedGroup], *, none_certain: bool) -> Iterator[Choice]:
        state = SimpleNamespace(global_step=batch[0].step - 1, max_steps=self.steps, epoch=0.0)
        eligible = [[i for i, one in enumerate(group.candidates) if one.outcome != "lost"] for group in batch]
        seen = self._paid(
            [[self._seen(group.candidates[i]) for i in of] for group, of in zip(batch, eligible, strict=True)], state
        )
        scores_PG, counts = self._scores(seen, state)
        for group, places, candidates, scores_G, count in zip(batch, eligible, seen, scores_PG, counts, strict=True):
            chosen = select(scores_G, min(count, len(places)))
            full = select(scores_G, min(self.keep, len(places)))
            certain = not none_certain and self._is_certain(group, [(scores_G[i], places[i]) for i in full])
            rewards = [candidates[i].reward if candidates[i].rewards is not None else None for i in chosen]
            yield Choice(group, [places[i] for i in chosen], rewards, certain)

    def _scores(self, seen: list[list[Candidate]], state: object) -> tuple[list[list[tuple[float, ...]]], list[int]]:
        """The scores of each group, and how many it keeps."""
        call = filter_call(seen, state)
        scores_PG = self.group_filter.score(call.completions, call.rewards, **call.keywords)
        counts = [self.keep] * len(seen)
        if self.group_filter.adaptive and call.rewards is not None:
            means = mean_rewards(call.rewards)
            counts = self.group_filter.keep_counts(self.keep, call.rewards, all_mean_rewards=means, **call.keywords)
        return scores_PG, counts

    def _is_certain(self, group: RecordedGroup, kept: list[tuple[tuple[float, ...], int]]) -> bool:
        """Whether none of the lost could have had a higher place than the worst of the kept."""
        lost = [(place, one.length) for place, one in enumerate(group.candidates) if one.outcome == "lost"]
        if not lost:
            return True
        if not self.group_filter.can_race or len(kept) < self.keep:
            return False
        worst, place = min(kept, key=lambda one: (one[0], -one[1]))
        return all((self._bound(length), -at) < (worst, -place) for at, length in lost)

    def _bound(self, length: int) -> tuple[float, ...]:
        if length not in self._bounds:
            most = (math.inf, {}) if self.pay is None else self.pay.most(length)
            told = most if self.group_filter.needs_rewards else ()
            self._bounds[length] = self.group_filter.score_bound(length, *told)
        return self._bounds[length]

    @cached_property
    def _bounds(self) -> dict[int, tuple[float, ...]]:
        return {}

    def _seen(self, record: CandidateRecord) -> Candidate:
        row = self.rows.get(str(record.prompt_id), {"prompt": record.prompt})
        is_chat = not isinstance(row["prompt"], str)
        completion = [{"role": "assistant", "content": record.completion}] if is_chat else record.completion
        one = Candidate(row, row["prompt"], completion, record.tokens, record.finished, group=record.group)
        if self.asks_all or not (self.all_asked or record.kept or record.reward is not None):
            return one
        rewards = {name: _nan(value) for name, value in record.rewards.items()}
        return Candidate(
            row, row["prompt"], completion, record.tokens, record.finished, rewards, _nan(record.reward), record.group
        )

    def _paid(self, groups: list[list[Candidate]], state: object) -> list[list[Candidate]]:
        """The groups with those rewards asked that are missing, where they are to be asked."""
        if self.pay is None or not (self.asks_all or self.group_filter.needs_rewards):
            return groups
        missing = [one for group in groups for one in group if one.rewards is None]
        asked = iter(self.pay.ask(missing, state))
        return [[one if one.rewards is not None else next(asked) for one in group] for group in groups]


def _nan(value: float | None) -> float:
    return math.nan if value is None else value
