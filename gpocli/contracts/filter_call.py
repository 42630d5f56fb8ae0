"""What a filter is told, made in one place for training, races, trials and replays."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Candidate:
    """A candidate as a filter sees it: the data row it answers, what was written, and what it was paid.

    `completion_ids` include the end token; `finished` says that there is one. `rewards` holds each reward by name and
    `reward` their weighted sum, NaN or None where it does not apply; both are None where no reward was asked. `group`
    is the number of its group among those of the generation batch, counted over all processes.
    """

    row: Mapping[str, Any]
    prompt: Any
    completion: Any
    completion_ids: Sequence[int]
    finished: bool
    rewards: Mapping[str, float | None] | None = None
    reward: float | None = None
    group: int = 0


_OF_A_CANDIDATE: dict[str, Callable[[Candidate], Any]] = {
    "completion_ids": lambda one: list(one.completion_ids),
    "completion_lengths": lambda one: len(one.completion_ids),
    "finished": lambda one: one.finished,
    "group_numbers": lambda one: one.group,
    "prompts": lambda one: one.prompt,
}

FILTER_KEYWORDS = (*_OF_A_CANDIDATE, "rewards_per_func", "trainer_state")
"""What a filter can ask for by name besides the data columns; see `GroupFilter.score`."""


@dataclass(frozen=True, slots=True)
class FilterCall:
    """The arguments of `GroupFilter.score`: completions [P][G], weighted rewards [P][G] or None, and the keywords."""

    completions: list[list[Any]]
    rewards: list[list[Any]] | None
    keywords: dict[str, Any]


def filter_call(groups: Sequence[Sequence[Candidate]], trainer_state: object) -> FilterCall:
    """The arguments with which a filter is asked about groups of candidates, freshly made.

    Rewards are told only where every candidate was asked for them.
    """

    def grouped(value: Callable[[Candidate], Any]) -> list[list[Any]]:
        return [[value(one) for one in group] for group in groups]

    everyone = [one for group in groups for one in group]
    columns = [name for name in (everyone[0].row if everyone else ()) if name != "prompt"]
    asked = [one.rewards for one in everyone if one.rewards is not None]
    names = dict.fromkeys(name for rewards in asked for name in rewards)
    are_paid = bool(everyone) and len(asked) == len(everyone)
    by_name = {name: grouped(lambda one, name=name: (one.rewards or {}).get(name)) for name in names}  # type: ignore[misc]
    keywords: dict[str, Any] = {name: grouped(lambda one, name=name: one.row[name]) for name in columns}  # type: ignore[misc]
    keywords |= {name: grouped(value) for name, value in _OF_A_CANDIDATE.items()}
    keywords |= {"rewards_per_func": by_name if are_paid else None, "trainer_state": trainer_state}
    return FilterCall(
        grouped(lambda one: one.completion), grouped(lambda one: one.reward) if are_paid else None, keywords
    )
