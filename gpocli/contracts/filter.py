"""The contract of a filter, held in the one place where filters are called."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from inspect import iscoroutinefunction
from typing import Any

from gpocli.contracts.callables import CallSignature, call_signature, callable_name, one_line_cause
from gpocli.contracts.filter_call import FILTER_KEYWORDS
from gpocli.contracts.scores import checked_bound, checked_counts, checked_scores
from gpocli.errors import GpoError, PluginError, SpecError


@dataclass(frozen=True, slots=True)
class NamedFilter:
    """A filter under the name that messages and records use for it."""

    name: str
    function: Callable[..., Any]


class GroupFilter:
    """One or several filters in a chain: the first decides, the next breaks its ties, and so on.

    Each filter is a callable `(group_completions, group_rewards, **kwargs) -> list[list[float]]`, called once
    a batch with all groups; one that names only some of the keywords gets only those. It may carry
    capabilities:

    - `needs_rewards = False`: it is then given None for the rewards;
    - `score_bound(length, **kwargs) -> float`: the highest score that a completion with `length` tokens that has
      not ended could still get. A filter that has it promises that a score depends on the candidate alone. One that
      looks at rewards may name `max_reward` and `max_rewards`, which `GroupFilter.score_bound` explains;
    - `why_no_race`: a text that tells why it can have no `score_bound`, for `gpo plan` and `check`;
    - `keep_counts(keep, group_rewards, **kwargs) -> list[int]`: how many of each group to keep, from 0 to
      `keep`; one filter of a chain may have it, and it always gets the rewards;
    - `check_keep(keep)`: raises `ValueError` when it cannot work with that k;
    - `state_dict()` and `load_state_dict(state)`: what must survive a resume, JSON-able.

    Capabilities are read from the object itself: a partial of a filter has none.

    Raises `PluginError` naming the filter when it cannot be called so, fails, or returns something else.
    """

    def __init__(self, filters: Sequence[Callable[..., Any] | NamedFilter]) -> None:
        if not filters:
            raise SpecError("a group filter needs at least one filter; name one")
        self._members = [_Member.of(item) for item in filters]
        adaptive = [member for member in self._members if member.can("keep_counts")]
        if len(adaptive) > 1:
            raise SpecError(
                f"filters '{adaptive[0].name}' and '{adaptive[1].name}' both decide how many are kept; "
                "chain only one of them"
            )
        self._adaptive = adaptive[0] if adaptive else None

    @property
    def name(self) -> str:
        """`length`, or `correct > length` for a chain."""
        return " > ".join(member.name for member in self._members)

    @property
    def filters(self) -> list[NamedFilter]:
        """The filters of the chain, the deciding one first."""
        return [NamedFilter(member.name, member.function) for member in self._members]

    @property
    def needs_rewards(self) -> bool:
        """Whether any of the filters looks at rewards."""
        return any(member.needs_rewards for member in self._members)

    @property
    def adaptive(self) -> bool:
        """Whether one of the filters decides how many candidates of a group are kept."""
        return self._adaptive is not None

    @property
    def can_race(self) -> bool:
        """Whether candidates can be stopped early without changing which are kept.

        Where the filters look at rewards, these have to be such that they can be asked in a race, too.
        """
        return self.why_no_race is None

    @property
    def why_no_race(self) -> str | None:
        """Why no candidate can be stopped early, whatever the rewards are; None when it can."""
        for member in self._members:
            if member.can("keep_counts"):
                return f"filter '{member.name}' needs the rewards of all"
            if not member.can("score_bound"):
                reason = getattr(member.function, "why_no_race", None)
                told = f": {reason}" if isinstance(reason, str) else " has no score_bound"
                return f"filter '{member.name}'{told}"
        return None

    def score(
        self,
        group_completions: Sequence[Sequence[Any]],
        group_rewards: Sequence[Sequence[float]] | None,
        /,
        **kwargs: Any,
    ) -> list[list[tuple[float, ...]]]:
        """The scores [P][G] of P groups, one number for each filter of the chain; higher is kept.

        `group_rewards` [P][G] are the weighted sums, NaN where no reward applied. `kwargs`: `completion_ids`,
        `completion_lengths` (tokens, the end token included), `finished`, `group_numbers` (of the generation batch,
        over all processes), `prompts` and every data column, all [P][G]; `rewards_per_func`, a dict from reward name
        to [P][G]; `trainer_state`. Filters get copies of the lists. Raises `ValueError` when the caller's groups do
        not line up with each other.
        """
        sizes = [len(group) for group in group_completions]
        self._check_groups(sizes, group_rewards, kwargs)
        scores_FPG = [
            checked_scores(
                member.call("", (_copied(group_completions), member.visible(group_rewards)), kwargs),
                sizes,
                member.name,
            )
            for member in self._members
        ]
        return [list(zip(*groups, strict=True)) for groups in zip(*scores_FPG, strict=True)]

    def keep_counts(self, keep: int, group_rewards: Sequence[Sequence[float]] | None, /, **kwargs: Any) -> list[int]:
        """How many candidates of each group to keep, from 0 to `keep`; `keep` for each when not adaptive.

        `kwargs` as for `score`, and `all_mean_rewards`: `mean_rewards` of the groups of every process, in the
        same order everywhere, so that a filter that learns from them learns the same in every process.
        """
        grouped = _grouped(kwargs)
        if group_rewards is None and not grouped:
            raise ValueError("keep_counts needs the rewards or a grouped keyword to count the groups by")
        groups = len(group_rewards if group_rewards is not None else next(iter(grouped.values())))
        if self._adaptive is None:
            return [keep] * groups
        member = self._adaptive
        counts = member.call("keep_counts", (keep, member.visible(group_rewards)), kwargs)
        return checked_counts(counts, groups, keep, member.name)

    def score_bound(
        self, length: int, max_reward: float = math.inf, max_rewards: Mapping[str, float] | None = None
    ) -> tuple[float, ...]:
        """The highest scores that a completion with `length` tokens that has not ended could still get.

        Its weighted sum of rewards will be at most `max_reward`, each reward at most what `max_rewards` has under its
        name, unless it does not apply.
        """
        told = {"max_reward": max_reward, "max_rewards": dict(max_rewards or {})}
        return tuple(
            checked_bound(member.call("score_bound", (length,), told), length, f"filter '{member.name}'", "score")
            for member in self._members
        )

    def check_keep(self, keep: int) -> None:
        """Raise `SpecError` when a filter cannot work with k = `keep`."""
        for member in self._members:
            if member.can("check_keep"):
                member.check_keep(keep)

    def state_dict(self) -> dict[str, Any]:
        """What the filters must find again after a resume, by place and name in the chain."""
        return {
            key: member.call("state_dict", (), {})
            for key, member in self._keyed_members()
            if member.can("state_dict") and member.can("load_state_dict")
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Give the filters what `state_dict` returned. Raises `SpecError` when they are other filters."""
        expected = list(self.state_dict())
        if sorted(state) != sorted(expected):
            raise SpecError(
                f"the saved state is of the filters {sorted(state)}, but this run has {sorted(expected)}; "
                "resume with the filters that the run was started with"
            )
        for key, member in self._keyed_members():
            if key in state:
                member.call("load_state_dict", (state[key],), {})

    def _keyed_members(self) -> list[tuple[str, "_Member"]]:
        return [(f"{place}:{member.name}", member) for place, member in enumerate(self._members)]

    def _check_groups(self, sizes: list[int], rewards: Any, kwargs: Mapping[str, Any]) -> None:
        if rewards is None and self.needs_rewards:
            raise ValueError(f"filter '{self.name}' needs the rewards of the groups")
        grouped = _grouped(kwargs) | ({} if rewards is None else {"group_rewards": rewards})
        for name, groups in grouped.items():
            if [len(group) for group in groups] != sizes:
                raise ValueError(f"the groups of '{name}' do not line up with the completions {sizes}")
        for g, prompts in enumerate(kwargs.get("prompts") or ()):
            if any(prompt is not prompts[0] and prompt != prompts[0] for prompt in prompts):
                raise ValueError(f"group {g} holds candidates of different prompts")


@dataclass(frozen=True, slots=True)
class _Member:
    """One filter of a chain: how it is called, and how its faults are told."""

    name: str
    function: Callable[..., Any]
    needs_rewards: bool

    @classmethod
    def of(cls, item: Callable[..., Any] | NamedFilter) -> "_Member":
        if isinstance(item, NamedFilter):
            name, function = item.name, item.function
        else:
            name, function = callable_name(item), item
        if isinstance(function, type):
            raise PluginError(f"filter '{name}' is a class; pass an instance: {name}()")
        if not callable(function):
            raise PluginError(f"{function!r} is not a filter; pass a callable")
        if iscoroutinefunction(function) or iscoroutinefunction(type(function).__call__):
            raise PluginError(f"filter '{name}' is async; define it with def, for filters are never awaited")
        signature = call_signature(function, leading=2)
        swapped = sorted(set(signature.leading) & set(FILTER_KEYWORDS)) if signature is not None else []
        if signature is None or swapped:
            raise PluginError(
                f"filter '{name}' must take group_completions and group_rewards as its first two arguments"
                + (f", not '{swapped[0]}'" if swapped else "")
            )
        adaptive = callable(getattr(function, "keep_counts", None))
        return cls(name, function, adaptive or bool(getattr(function, "needs_rewards", True)))

    def can(self, capability: str) -> bool:
        return callable(getattr(self.function, capability, None))

    def check_keep(self, keep: int) -> None:
        try:
            self.call("check_keep", (keep,), {})
        except PluginError as error:
            if isinstance(error.__cause__, ValueError):
                raise SpecError(f"filter '{self.name}': {error.__cause__}") from error.__cause__
            raise

    def visible(self, group_rewards: Sequence[Sequence[float]] | None) -> list[list[float]] | None:
        return None if group_rewards is None or not self.needs_rewards else _copied(group_rewards)

    def call(self, method: str, positional: tuple[Any, ...], keywords: Mapping[str, Any]) -> Any:
        """Call the filter, or a method of it, with the keywords it takes; its faults become `PluginError`."""
        function = getattr(self.function, method) if method else self.function
        called = f"filter '{self.name}'" + (f" ({method})" if method else "")
        signature = call_signature(function, leading=len(positional))
        if signature is None:
            raise PluginError(f"{called} must take {len(positional)} positional arguments")
        offered = keywords if self.needs_rewards else {**keywords, "rewards_per_func": None}
        picked = self._picked(signature, offered, called)
        try:
            return function(*positional, **picked)
        except GpoError:
            raise
        except (Exception, SystemExit) as error:
            raise PluginError(f"{called} failed: {one_line_cause(error)}") from error

    def _picked(self, signature: CallSignature, offered: Mapping[str, Any], called: str) -> dict[str, Any]:
        missing = signature.missing(offered)
        if missing:
            raise PluginError(
                f"{called} needs '{missing[0]}', which is neither a data column nor one of what gpo gives to "
                f"filters; there are: {', '.join(sorted(offered))}"
            )
        return {name: _copied_keyword(value) for name, value in signature.pick(offered).items()}


def select(scores_G: Sequence[tuple[float, ...]], keep: int) -> list[int]:
    """The indices of the `keep` highest scores, ascending; of equal scores the earlier candidate wins."""
    if not 0 <= keep <= len(scores_G):
        raise ValueError(f"cannot keep {keep} of {len(scores_G)} candidates")
    ranked = sorted(range(len(scores_G)), key=lambda candidate: scores_G[candidate], reverse=True)
    return sorted(ranked[:keep])


def mean_rewards(group_rewards: Sequence[Sequence[float]]) -> list[float]:
    """The mean reward of all candidates of each group, NaN ones left out; NaN for a group without any."""
    means = []
    for rewards_G in group_rewards:
        known = [reward for reward in rewards_G if not math.isnan(reward)]
        means.append(math.fsum(known) / len(known) if known else math.nan)
    return means


def _grouped(keywords: Mapping[str, Any]) -> dict[str, Sequence[Sequence[Any]]]:
    """The keywords that hold one value for each candidate, those of `rewards_per_func` included."""
    grouped = {
        name: value
        for name, value in keywords.items()
        if name not in ("trainer_state", "rewards_per_func", "all_mean_rewards") and value is not None
    }
    per_reward = keywords.get("rewards_per_func") or {}
    return grouped | {f"rewards_per_func[{name}]": groups for name, groups in per_reward.items()}


def _copied(groups: Sequence[Sequence[Any]]) -> list[list[Any]]:
    return [list(group) for group in groups]


def _copied_keyword(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _copied_keyword(groups) for name, groups in value.items()}
    if isinstance(value, list) and all(isinstance(group, list) for group in value):
        return _copied(value)
    return value
