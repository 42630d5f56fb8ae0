"""A filter tried on groups: are its scores sound, the same again and in any order, and does its bound hold."""

import json
import math
from collections.abc import Callable
from dataclasses import replace
from time import perf_counter
from typing import Any

from gpocli.contracts.filter import GroupFilter, NamedFilter, mean_rewards, select
from gpocli.errors import PluginError, counted
from gpocli.trial.pull import pull_check
from gpocli.trial.report import Check, Report, first_difference, number
from gpocli.trial.samples import Candidate, Samples, filter_arguments
from gpocli.trial.trial import Clock, Trial, split

Scores = list[float]


def try_filter(named: NamedFilter, subject: str, samples: Samples, keep: int, *, clock: Clock = perf_counter) -> Report:
    """Score the groups with a filter, keep `keep` of each, and tell what it does and what is wrong with it.

    A reward that does not apply counts as 0, except where just that is tried. What is wrong is in the report;
    raises `SpecError` when the filter says that k or its options are.
    """
    trial = _FilterTrial(named, samples, keep, clock)
    trial.filter.check_keep(keep)
    return trial.report(subject)


class _FilterTrial(Trial[float]):
    gives = "scores"

    def __init__(self, named: NamedFilter, samples: Samples, keep: int, clock: Clock) -> None:
        super().__init__(f"filter '{named.name}'", _with_rewards(samples, lambda reward: reward or 0.0), clock)
        self.filter, self.keep, self.given = GroupFilter([named]), keep, samples

    def arguments(self, *, chat: bool) -> dict[str, Any]:
        return _arguments(self.samples, chat=chat)

    def call(self, arguments: dict[str, Any]) -> Scores:
        keywords = dict(arguments)
        scores_PG = self.filter.score(keywords.pop("group_completions"), keywords.pop("group_rewards"), **keywords)
        return [score for group in scores_PG for (score,) in group]

    def score(self, samples: Samples) -> Scores:
        """The scores of these samples otherwise put together."""
        return self.call(_arguments(samples, chat=samples.are_chat))

    def comparisons(self) -> dict[str, Callable[[Scores], Check]]:
        return {
            "order": self.order,
            "text and chat": self.form,
            "columns": self.columns,
            "rewards": self.rewards,
            "race": self.race,
        }

    def rest(self, values: Scores) -> list[Check]:
        pull = [pull_check(self.given, self.kept(values))] if self.given.are_recorded else []
        return [self.keeping(), self.spread(values), *pull]

    def order(self, scores: Scores) -> Check:
        """A score follows its candidate when the candidates of a group, or the groups, are in another order."""
        groups = self.samples.groups
        turned = [replace(group, candidates=list(group.candidates)[::-1]) for group in groups]
        second = self.score(replace(self.samples, groups=turned))
        # A filter that gives all the same, or its scores forwards and backwards, tells nothing either way.
        is_symmetric = first_difference(scores, self.each_reversed(scores)) is None
        if first_difference(scores, second) is None and not is_symmetric:
            return Check("order", "a score depends on the place alone, not on the completion")
        scores, followed = self.settled(scores), self.settled(self.each_reversed(second))
        at = first_difference(scores, followed)
        if at is not None:
            fault = f"{self.name} gives {number(scores[at])} for {self.place(at)}, but {number(followed[at])} when its "
            fault += "group is in another order; score a candidate by what it is, not by its place"
            return Check("order", "matters", (fault,))
        backwards = list(groups)[::-1]
        by_group = split(self.score(replace(self.samples, groups=backwards)), backwards)[::-1]
        third = self.settled([score for group in by_group for score in group])
        at = first_difference(scores, third)
        if at is not None:
            fault = f"{self.name} gives {number(scores[at])} for {self.place(at)}, but {number(third[at])} when the "
            return Check("order", "matters", (f"{fault}groups are in another order; score each group by itself",))
        return Check("order", "does not matter")

    def settled(self, scores: Scores) -> Scores:
        """The scores, those of identical candidates of a group dealt out anew: which of these gets which is all one."""
        dealt = []
        for group, scores_G in zip(self.samples.groups, split(scores, self.samples.groups), strict=True):
            same = [(one.tokens, one.text, one.finished, one.rewards) for one in group.candidates]
            order = [sorted(s for s, other in zip(scores_G, same, strict=True) if other == one) for one in same]
            dealt += [options[same[:place].count(same[place])] for place, options in enumerate(order)]
        return dealt

    def each_reversed(self, scores: Scores) -> Scores:
        """The scores with those of each group in the opposite order."""
        return [score for group in split(scores, self.samples.groups) for score in reversed(group)]

    def rewards(self, scores: Scores) -> Check:
        """Whether the rewards matter, and what becomes of a reward that does not apply."""
        if not self.filter.needs_rewards:
            return Check("rewards", "not needed")
        try:
            # None applies to a whole group where data rows lack an answer.
            missing = self.score(_with_rewards(self.samples, lambda _: None))
        except PluginError as error:
            return Check("rewards", f"needed; where none applies a run would stop: {error}")
        changed = self.score(_with_rewards(self.samples, lambda reward: None if reward is None else 1.0 - reward))
        if self.filter.adaptive or first_difference(scores, changed) is not None:
            return Check("rewards", "needed")
        unused = "" if first_difference(scores, missing) is not None else "; needs_rewards = False would save them"
        return Check("rewards", f"asked for, but they change no score{unused}")

    def race(self, scores: Scores) -> Check:
        """Whether candidates may be stopped early, and whether the bound that allows it holds."""
        if not self.filter.can_race:
            told = getattr(self.filter.filters[0].function, "why_no_race", None)
            reason = told if isinstance(told, str) else "it has no score_bound"
            return Check("race", f"no, {'it needs the rewards of all' if self.filter.adaptive else reason}")
        try:
            faults = [*self.broken_bound(scores), *self.company(scores)]
        except PluginError as error:
            return Check("race", "no", (str(error),))
        finding = "yes, but a bound of inf stops no candidate" if self.bound(1) == math.inf else "yes, the bound holds"
        finding += " where each reward has a reward_bound" if self.filter.needs_rewards else ""
        return Check("race", "no" if faults else finding, tuple(faults))

    def broken_bound(self, scores: Scores) -> list[str]:
        """For every length, whether a completion that became longer has a score above the bound of it."""
        best = -math.inf
        # A completion of n tokens was once one of every length below n: from the longest down, `best` is the highest
        # score that an unended one of that length came to.
        longest_first = sorted(
            zip(self.samples.candidates, scores, strict=True), key=lambda pair: len(pair[0].tokens), reverse=True
        )
        best_one, lengths = longest_first[0], [len(one.tokens) for one, _ in longest_first]
        for place, (one, score) in enumerate(longest_first):
            if score > best:
                best, best_one = score, (one, score)
            shorter = lengths[place + 1] if place + 1 < len(lengths) else 0
            for length in range(shorter, lengths[place]):
                bound = self.bound(length)
                if bound < best and not math.isclose(bound, best, rel_tol=1e-9, abs_tol=1e-12):
                    candidate, high = best_one
                    return [
                        f"{self.name} says that an unended completion of {counted(length, 'token')} scores at most "
                        f"{number(bound)}, but {candidate.place} became {len(candidate.tokens)} long and scores "
                        f"{number(high)}; raise score_bound"
                    ]
        return []

    def bound(self, length: int) -> float:
        """The bound of a completion of which no reward will be above the highest ones of the samples."""
        everyone = self.samples.candidates
        names = dict.fromkeys(name for one in everyone for name in one.rewards)
        highest = {name: max(one.rewards.get(name) or 0.0 for one in everyone) for name in names}
        (bound,) = self.filter.score_bound(length, max(one.reward or 0.0 for one in everyone), highest)
        return bound

    def company(self, scores: Scores) -> list[str]:
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
        sizes = sorted({len(group.candidates) for group in self.samples.groups})
        of = str(sizes[0]) if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"
        if not self.filter.adaptive:
            return Check("keeps", f"{self.keep} of {of}")
        keywords = self.arguments(chat=self.samples.are_chat)
        del keywords["group_completions"]
        rewards = keywords.pop("group_rewards")
        try:
            counts = self.filter.keep_counts(self.keep, rewards, all_mean_rewards=mean_rewards(rewards), **keywords)
            # Through JSON and back, as a checkpoint keeps it.
            self.filter.load_state_dict(json.loads(json.dumps(self.filter.state_dict())))
        except PluginError as error:
            return Check("keeps", "failed", (str(error),))
        except (TypeError, ValueError) as error:
            fault = f"state_dict of {self.name} cannot be saved: {error}; return numbers, texts, lists and dicts"
            return Check("keeps", "failed", (fault,))
        return Check("keeps", f"{min(counts)} to {max(counts)} of {of}")

    def spread(self, scores: Scores) -> Check:
        """In how many groups the scores tell candidates apart."""
        groups = [group for group in split(scores, self.samples.groups) if len(group) > 1]
        spread = sum(max(group) > min(group) for group in groups)
        finding = f"{spread} of {counted(len(groups), 'group')}"
        if spread or not groups:
            return Check("spread", finding)
        fault = f"{self.name} gives all candidates of a group one score, in all {len(groups)} groups: the first ones"
        return Check("spread", finding, (f"{fault} would be kept; {self.samples.way_out}",))

    def kept(self, values: Scores) -> list[bool]:
        flags = []
        for group in split(values, self.samples.groups):
            chosen = set(select([(score,) for score in group], min(self.keep, len(group))))
            flags += [index in chosen for index in range(len(group))]
        return flags


def _arguments(samples: Samples, *, chat: bool) -> dict[str, Any]:
    call = filter_arguments(samples, chat=chat)
    rewards = [[math.nan if one.reward is None else one.reward for one in group.candidates] for group in samples.groups]
    return {"group_completions": call.completions, "group_rewards": rewards, **call.keywords}


def _with_rewards(samples: Samples, change: Callable[[float | None], float | None]) -> Samples:
    """The samples with every reward changed."""

    def changed(one: Candidate) -> Candidate:
        rewards = {name: change(reward) for name, reward in one.rewards.items()}
        return replace(one, rewards=rewards, reward=change(one.reward))

    groups = [replace(group, candidates=[changed(one) for one in group.candidates]) for group in samples.groups]
    return replace(samples, groups=groups)
