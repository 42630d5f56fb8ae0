"""A filter tried on groups: are its scores sound, the same again and in any order, and does its bound hold."""

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from time import perf_counter

from gpocli.contracts.filter import GroupFilter, NamedFilter, mean_rewards, select
from gpocli.errors import GpoError, PluginError
from gpocli.trial.report import (
    CURE,
    NOT_TRIED,
    UNSTEADY,
    Check,
    Report,
    counted,
    duration,
    first_difference,
    kind_rows,
    number,
)
from gpocli.trial.samples import Candidate, Group, Samples, filter_arguments

Clock = Callable[[], float]


def try_filter(named: NamedFilter, subject: str, samples: Samples, keep: int, *, clock: Clock = perf_counter) -> Report:
    """Score the groups with a filter, keep `keep` of each, and tell what it does and what is wrong with it.

    A reward that does not apply counts as 0, except where just that is tried. What is wrong is in the report;
    raises `SpecError` when the filter says that k or its options are.
    """
    trial = _Trial(named, samples, keep, clock)
    trial.filter.check_keep(keep)
    try:
        scores, seconds = trial.timed()
    except PluginError as error:
        fault = f"{error}{trial.hint()}"
        return Report(subject, samples.origin, tuple(samples.notes), (), (Check("scores", "failed", (fault,)),))
    again = trial.again(scores)
    comparisons = {
        "order": trial.order,
        "text and chat": trial.form,
        "columns": trial.columns,
        "rewards": trial.rewards,
        "race": trial.race,
    }
    is_steady = again.finding != UNSTEADY
    compared = [check(scores) if is_steady else Check(name, NOT_TRIED) for name, check in comparisons.items()]
    checks = (
        Check("scores", f"{counted(len(scores), 'number')} from {number(min(scores))} to {number(max(scores))}"),
        again,
        *compared,
        trial.keeping(),
        trial.spread(scores),
        Check("time", f"{duration(seconds / len(scores))} a completion"),
    )
    kinds = kind_rows([one.kind for one in samples.candidates], scores, trial.kept(scores))
    return Report(subject, samples.origin, tuple(samples.notes), kinds, checks)


class _Trial:
    """The checks on one filter; each calls it once or more. Scores are a flat list, group after group."""

    def __init__(self, named: NamedFilter, samples: Samples, keep: int, clock: Clock) -> None:
        self.filter = GroupFilter([named])
        self.function, self.name = named.function, f"filter '{named.name}'"
        self.samples, self.keep, self.clock = _with_rewards(samples, 0.0), keep, clock

    def timed(self) -> tuple[list[float], float]:
        """The scores, and the seconds of the quicker of two calls, so that what it loads once does not count."""
        durations = []
        for _ in range(2):
            start = self.clock()
            scores = self.score(self.samples)
            durations.append(self.clock() - start)
        return scores, min(durations)

    def score(self, samples: Samples, *, chat: bool | None = None, without: str | None = None) -> list[float]:
        call = filter_arguments(samples, chat=samples.are_chat if chat is None else chat)
        keywords = {name: value for name, value in call.keywords.items() if name != without}
        scores_PG = self.filter.score(call.completions, _rewards(samples), **keywords)
        return [score for group in scores_PG for (score,) in group]

    def again(self, scores: list[float]) -> Check:
        """The same call gives the same scores."""
        second = self.score(self.samples)
        at = first_difference(scores, second)
        if at is None:
            return Check("same again", "yes")
        fault = f"{self.name} gives {number(scores[at])} and then {number(second[at])} for {self.place(at)}"
        return Check("same again", UNSTEADY, (f"{fault}; make it depend on its arguments alone",))

    def hint(self) -> str:
        """What to add when it fails with completions in the form that they have, but not in the other one."""
        try:
            self.score(self.samples, chat=not self.samples.are_chat)
        except GpoError:
            return ""
        native, other = ("chat messages", "text") if self.samples.are_chat else ("text", "chat messages")
        return f"; it works with {other} but not with {native}: {CURE}"

    def order(self, scores: list[float]) -> Check:
        """A score follows its candidate when the candidates of a group, or the groups, are in another order."""
        turned = [replace(group, candidates=list(group.candidates)[::-1]) for group in self.samples.groups]
        second = self.score(replace(self.samples, groups=turned))
        is_symmetric = first_difference(scores, _each_reversed(scores, turned)) is None
        if first_difference(scores, second) is None and not is_symmetric:
            return Check("order", "a score depends on the place alone, not on the completion")
        at = first_difference(scores, _each_reversed(second, turned))
        if at is not None:
            fault = f"{self.name} gives {number(scores[at])} for {self.place(at)}, but "
            fault += f"{number(_each_reversed(second, turned)[at])} when its group is in another order"
            return Check("order", "matters", (f"{fault}; score a candidate by what it is, not by its place",))
        backwards = replace(self.samples, groups=list(self.samples.groups)[::-1])
        third = _flat(_split(self.score(backwards), backwards.groups)[::-1])
        at = first_difference(scores, third)
        if at is not None:
            fault = f"{self.name} gives {number(scores[at])} for {self.place(at)}, but {number(third[at])} when the "
            return Check("order", "matters", (f"{fault}groups are in another order; score each group by itself",))
        return Check("order", "does not matter")

    def form(self, scores: list[float]) -> Check:
        """Text and chat messages give the same scores."""
        native, other = ("chat messages", "text") if self.samples.are_chat else ("text", "chat messages")
        try:
            second = self.score(self.samples, chat=not self.samples.are_chat)
        except PluginError as error:
            return Check("text and chat", "no", (f"with {other} for {native}: {error}; {CURE}",))
        at = first_difference(scores, second)
        if at is None:
            return Check("text and chat", "the same")
        fault = f"{self.name} gives {number(scores[at])} with {native} and {number(second[at])} with {other}"
        return Check("text and chat", "differ", (f"{fault} for {self.place(at)}; {CURE}",))

    def columns(self, scores: list[float]) -> Check:
        """Which data columns it cannot do without, and which change its scores."""
        words = []
        for name in self.samples.columns:
            try:
                without = self.score(self.samples, without=name)
            except GpoError:
                words.append(f"{name} (needed)")
            else:
                words += [] if first_difference(scores, without) is None else [f"{name} (used)"]
        return Check("columns", ", ".join(words) or "none")

    def rewards(self, scores: list[float]) -> Check:
        """Whether the rewards matter, and what becomes of a reward that does not apply."""
        if not self.filter.needs_rewards:
            return Check("rewards", "not needed")
        try:
            missing = self.score(_with_rewards(self.samples, math.nan, all_missing=True))
        except PluginError as error:
            return Check("rewards", f"needed; where none applies a run would stop: {error}")
        changed = self.score(_with_rewards(self.samples, 0.0, negated=True))
        if self.filter.adaptive or first_difference(scores, changed) is not None:
            return Check("rewards", "needed")
        unused = "" if first_difference(scores, missing) is not None else "; needs_rewards = False would save them"
        return Check("rewards", f"asked for, but they change no score{unused}")

    def race(self, scores: list[float]) -> Check:
        """Whether candidates may be stopped early, and whether the bound that allows it holds."""
        if not self.filter.can_race:
            reason = "it needs rewards" if self.filter.needs_rewards else "it has no score_bound"
            return Check("race", f"no, {reason}")
        try:
            faults = [*self.broken_bound(scores), *self.company(scores)]
        except PluginError as error:
            return Check("race", "no", (str(error),))
        (bound,) = self.filter.score_bound(1)
        finding = "yes, but a bound of inf stops no candidate" if bound == math.inf else "yes, the bound holds"
        return Check("race", "no" if faults else finding, tuple(faults))

    def broken_bound(self, scores: list[float]) -> list[str]:
        """For every length, whether a completion that became longer has a score above the bound of it."""
        best = -math.inf
        longest_first = sorted(
            zip(self.samples.candidates, scores, strict=True), key=lambda pair: len(pair[0].tokens), reverse=True
        )
        best_one, lengths = longest_first[0], [len(one.tokens) for one, _ in longest_first]
        for place, (one, score) in enumerate(longest_first):
            if score > best:
                best, best_one = score, (one, score)
            shorter = lengths[place + 1] if place + 1 < len(lengths) else 0
            for length in range(shorter, lengths[place]):
                (bound,) = self.filter.score_bound(length)
                if bound < best and not math.isclose(bound, best, rel_tol=1e-9, abs_tol=1e-12):
                    candidate, high = best_one
                    return [
                        f"{self.name} says that an unended completion of {counted(length, 'token')} scores at most "
                        f"{number(bound)}, but {candidate.place} became {len(candidate.tokens)} long and scores "
                        f"{number(high)}; raise score_bound"
                    ]
        return []

    def company(self, scores: list[float]) -> list[str]:
        """Whether a candidate scores otherwise without the others of its group."""
        alone = [replace(group, candidates=[one]) for group in self.samples.groups for one in group.candidates]
        at = first_difference(scores, self.score(replace(self.samples, groups=alone)))
        if at is None:
            return []
        return [
            f"{self.name} has a score_bound, and so must score a candidate by itself, but {self.place(at)} has another "
            "score without the rest of its group; take score_bound out"
        ]

    def keeping(self) -> Check:
        """How many of each group are kept, and whether what was learnt for that survives a resume."""
        if not self.filter.adaptive:
            return Check("keeps", f"{self.keep} of {_sizes(self.samples)}")
        rewards = _rewards(self.samples)
        keywords = filter_arguments(self.samples, chat=self.samples.are_chat).keywords
        try:
            counts = self.filter.keep_counts(self.keep, rewards, all_mean_rewards=mean_rewards(rewards), **keywords)
            self.filter.load_state_dict(json.loads(json.dumps(self.filter.state_dict())))
        except PluginError as error:
            return Check("keeps", "failed", (str(error),))
        except (TypeError, ValueError) as error:
            fault = f"state_dict of {self.name} cannot be saved: {error}; return numbers, texts, lists and dicts"
            return Check("keeps", "failed", (fault,))
        return Check("keeps", f"{min(counts)} to {max(counts)} of {_sizes(self.samples)}")

    def spread(self, scores: list[float]) -> Check:
        """In how many groups the scores tell candidates apart."""
        groups = [group for group in _split(scores, self.samples.groups) if len(group) > 1]
        spread = sum(max(group) > min(group) for group in groups)
        finding = f"{spread} of {counted(len(groups), 'group')}"
        if spread or not groups:
            return Check("spread", finding)
        fault = f"{self.name} gives all candidates of a group one score, in all {len(groups)} groups: the first ones"
        return Check("spread", finding, (f"{fault} would be kept; {self.samples.way_out}",))

    def kept(self, scores: list[float]) -> list[bool]:
        """Which candidates are kept when `keep` of each group are."""
        flags = []
        for group in _split(scores, self.samples.groups):
            chosen = set(select([(score,) for score in group], min(self.keep, len(group))))
            flags += [index in chosen for index in range(len(group))]
        return flags

    def place(self, index: int) -> str:
        return self.samples.candidates[index].place


def _rewards(samples: Samples) -> list[list[float]]:
    return [[math.nan if one.reward is None else one.reward for one in group.candidates] for group in samples.groups]


def _with_rewards(samples: Samples, value: float, *, all_missing: bool = False, negated: bool = False) -> Samples:
    """The samples with `value` for every reward that does not apply, or (`all_missing`) for every reward at all."""

    def filled(reward: float | None) -> float | None:
        if all_missing or reward is None:
            return None if math.isnan(value) else value
        return 1.0 - reward if negated else reward

    def changed(one: Candidate) -> Candidate:
        rewards = {name: filled(reward) for name, reward in one.rewards.items()}
        return replace(one, rewards=rewards, reward=filled(one.reward))

    groups = [replace(group, candidates=[changed(one) for one in group.candidates]) for group in samples.groups]
    return replace(samples, groups=groups)


def _split(scores: Sequence[float], groups: Sequence[Group]) -> list[list[float]]:
    remaining = iter(scores)
    return [[next(remaining) for _ in group.candidates] for group in groups]


def _flat(groups: Sequence[Sequence[float]]) -> list[float]:
    return [score for group in groups for score in group]


def _each_reversed(scores: Sequence[float], groups: Sequence[Group]) -> list[float]:
    return _flat([group[::-1] for group in _split(scores, groups)])


def _sizes(samples: Samples) -> str:
    sizes = sorted({len(group.candidates) for group in samples.groups})
    return str(sizes[0]) if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"
