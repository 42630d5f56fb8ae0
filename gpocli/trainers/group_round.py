"""The course of one generation batch: prompts become groups, groups are filtered, the kept ones go to the parent."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import torch

from gpocli.contracts.filter import GroupFilter
from gpocli.contracts.filter_call import Candidate, filter_call
from gpocli.contracts.race import NotNow, why_no_race
from gpocli.rollout import Race, Rollout
from gpocli.trainers.clock import StepClock
from gpocli.trainers.figures import Counted, count, training_figures
from gpocli.trainers.flat import flat_rows, group_figures
from gpocli.trainers.generation_batch import Advantaged, Drawn, Scored, Selected, Selection
from gpocli.trainers.objective import SKIPPED, SURPLUS
from gpocli.trainers.processes import Processes
from gpocli.trainers.race_rewards import RaceRewards, weighted_sums
from gpocli.trainers.selection import select_candidates

Score = Callable[[Sequence[Any], Sequence[Any], Sequence[Any], Sequence[Any]], torch.Tensor]
"""Rows, prompts, completions and their tokens to the rewards of all processes, [processes x rows, rewards]."""


@dataclass(frozen=True, slots=True)
class GroupRules:
    """What holds for every group of a run: G, k, who chooses, what rewards weigh, and what the loss divides by.

    `text_of` turns tokens into the text of a completion, unless the tokenizer `parses` those of chats into more than
    that. `reward_functions` are what `checked_rewards` makes, and `races` whether losers may be stopped. `flat_groups`
    says what becomes of flat groups, of the `prompts` of a generation batch of all processes; `by_reward` tells that
    each reward makes advantages of its own.
    """

    group_size: int
    keep: int
    group_filter: GroupFilter | None
    reward_names: Sequence[str]
    reward_weights: torch.Tensor
    divisor: str
    counts_truncated: bool
    text_of: Callable[[list[int]], str]
    parses: bool = False
    reward_functions: Sequence[Any] = ()
    races: bool = True
    flat_groups: str = "train"
    prompts: int = 0
    by_reward: bool = False

    def of_evaluation(self, group_size: int) -> "GroupRules":
        """What holds in evaluation: nobody chooses."""
        return replace(
            self, group_size=group_size, keep=group_size, group_filter=None, divisor="kept", flat_groups="train"
        )

    def flat_rows(self, scored_BF: torch.Tensor) -> torch.Tensor:
        """Which of the kept rows, group after group, are of a flat one, [B], by their rewards [B, F]."""
        return flat_rows(scored_BF, self.reward_weights, self.keep, by_reward=self.by_reward)

    def figures(self, candidates: Sequence[Counted]) -> dict[str, float]:
        """The figures of a generation batch of all processes."""
        figures = training_figures(
            candidates,
            self.group_size,
            self.reward_names,
            is_filtered=self.group_filter is not None,
            all_rewarded=self.group_filter is not None and self.group_filter.needs_rewards,
        )
        if self.group_size > 1:
            figures |= group_figures(candidates, self.group_size, self.reward_names)
        if self.flat_groups == "refill":
            figures["groups/refilled"] = figures["groups/sampled"] - self.prompts
        return figures


class GroupRound:
    """One generation batch on one process; the parent asks for its parts in the order of the methods.

    One that `is_whole` is sampled without a race, so that each candidate is as long as the policy wrote it.
    """

    def __init__(
        self,
        rules: GroupRules,
        rows: list[dict[str, Any]],
        *,
        processes: Processes,
        clock: StepClock,
        trainer_state: Any,
        is_whole: bool = False,
    ) -> None:
        self.rows = rows
        self._rules, self._is_whole = rules, is_whole
        self._processes, self._clock, self._state = processes, clock, trainer_state
        self._is_race = False
        self._kept_rewards: torch.Tensor | None = None
        self._early: dict[int, list[float]] = {}
        self._asks = RaceRewards(rules.reward_functions, rules.reward_names, rules.reward_weights)

    @property
    def selected(self) -> Selected:
        """The candidates with the choice of the filter, once it is made."""
        return self._selected

    def of_all(self, rounds: "Sequence[GroupRound]", selected: Selected, rewards_BF: torch.Tensor) -> "GroupRound":
        """The round that is at an end once the turns `rounds` are, with what is handed on of them and its rewards."""
        self._selected, self._kept_rewards = selected, self._processes.gather(rewards_BF)
        self._is_race = any(one._is_race for one in rounds)
        return self

    def draw(self, prompts: Sequence[Any]) -> list[Any]:
        """The prompts to sample: each group of k equal ones that the data loader made becomes G."""
        rules, source = self._rules, list(range(len(prompts)))
        if rules.group_filter is not None:
            source = [start for start in source[:: rules.keep] for _ in range(rules.group_size)]
        rows, prompts = [self.rows[i] for i in source], [prompts[i] for i in source]
        self._drawn = Drawn(rules.group_size, rows, prompts, first_row=self._processes.index * len(source))
        return list(self._drawn.prompts)

    def race(self) -> Race | None:
        """The race that the candidates of a group run, None when all of them are needed."""
        group_filter = self._rules.group_filter
        if group_filter is None or not self._may_race:
            return None
        self._is_race = True

        def score(row: int, ids: list[int], finished: bool) -> tuple[float, ...] | None:
            candidate = self._ended(row, ids, finished)
            if group_filter.needs_rewards:
                try:
                    candidate = self._paid_early(row, candidate)
                except NotNow:
                    return None
            call = filter_call([[candidate]], self._state)
            return group_filter.score(call.completions, call.rewards, **call.keywords)[0][0]

        @cache
        def bound(length: int) -> tuple[float, ...]:
            return group_filter.score_bound(length, *(self._asks.most(length) if group_filter.needs_rewards else ()))

        return Race(keep=self._rules.keep, score=score, bound=bound)

    @property
    def _may_race(self) -> bool:
        """The same in all processes, whichever engine serves them."""
        rules = self._rules
        if rules.group_filter is None or rules.divisor != "kept" or rules.keep == rules.group_size:
            return False
        if self._is_whole or not rules.races or (rules.parses and self._is_chat and rules.group_filter.needs_rewards):
            return False
        return why_no_race(rules.group_filter, rules.reward_functions, rules.reward_weights.tolist()) is None

    @property
    def _is_chat(self) -> bool:
        return not isinstance(self._drawn.prompts[0], str)

    def _ended(self, row: int, ids: list[int], finished: bool) -> Candidate:
        """A candidate that ended while others of its group still run."""
        drawn, text = self._drawn, self._rules.text_of(ids)
        completion = [{"role": "assistant", "content": text}] if self._is_chat else text
        group = drawn.group_number(row)
        return Candidate(drawn.rows[row], drawn.prompts[row], completion, ids, finished, group=group)

    def _paid_early(self, row: int, candidate: Candidate) -> Candidate:
        with self._clock.measure("reward"):
            (self._early[row],) = self._asks.ask([candidate], self._state, in_race=True).tolist()
        return self._asks.paid(candidate, self._early[row])

    def choose(
        self,
        rollout: Rollout,
        completions: Sequence[Any],
        score: Score,
        tool_mask: Sequence[Sequence[int]] | None = None,
    ) -> Sequence[int]:
        """The candidates to hand on to the parent, k a group; all of them without a filter."""
        sampled = self._drawn.sampled(rollout, completions, tool_mask)
        group_filter = self._rules.group_filter
        if group_filter is None:
            self._selected = sampled.scored({}).selected(Selection(range(len(sampled))))
            return self._selected.selection.kept
        scored_BF, scored = None, sampled.scored({})
        if group_filter.needs_rewards:
            if self._may_race:
                scored_BF = self._rewards_here(scored)
            else:
                gathered = score(sampled.rows, sampled.prompts, sampled.completions, rollout.completion_ids)
                scored_BF = self._processes.own(gathered, len(sampled))
            asked = [number for number, is_lost in enumerate(rollout.lost) if not is_lost]
            scored = sampled.scored(self._paid(asked, scored_BF[asked]))
        self._selected = scored.selected(self._select(scored, group_filter))
        self._kept_rewards = None if scored_BF is None else self._of_the_kept(scored_BF)
        return self._selected.selection.kept

    def rewards(
        self, rows: Sequence[Any], prompts: Sequence[Any], completions: Sequence[Any], ids: Sequence[Any], score: Score
    ) -> torch.Tensor:
        """The rewards of the kept candidates of all processes; none is asked twice."""
        if self._kept_rewards is not None:
            gathered = self._kept_rewards
        else:
            gathered = score(rows, prompts, completions, ids)
            own = self._processes.own(gathered, len(prompts))
            self._selected = self._selected.scored_later(self._paid(self._selected.selection.kept, own))
        if self._rules.flat_groups == "skip":
            self._flat_B = self._processes.own(self._rules.flat_rows(gathered), len(prompts))
        return gathered

    def finish(self, output: dict[str, Any]) -> Advantaged:
        """Correct, in place, what the parent made of the kept rows, and close the batch with their advantages."""
        rules, surplus = self._rules, list(self._selected.selection.surplus)
        if rules.flat_groups == "refill" or (rules.group_filter is not None and rules.group_filter.adaptive):
            # Rows that only fill up a group or a batch have no token in the loss, in its divisor or in the KL term.
            output["completion_mask"][surplus] = 0
            output[SURPLUS] = torch.zeros_like(output["advantages"], dtype=torch.bool)
            output[SURPLUS][surplus] = True
            output["num_items_in_batch"] = self._processes.gather(output["completion_mask"].sum()).sum()
        if rules.flat_groups == "skip":
            output[SKIPPED] = self._flat_B.to(output["advantages"].device)
        if rules.divisor == "group":
            output["num_items_in_batch"] = self._group_tokens(output["num_items_in_batch"])
        advantaged = self._selected.advantaged(output["advantages"].tolist())
        self._selected = advantaged
        return advantaged

    def counted(self) -> list[Counted]:
        """The candidates of all processes as the figures count them; in training, once the batch is finished."""
        rules = self._rules
        own = count(
            self._selected, len(rules.reward_names), raced=self._is_race, counts_truncated=rules.counts_truncated
        )
        return self._processes.objects(own)

    def _select(self, scored: Scored, group_filter: GroupFilter) -> Selection:
        with self._clock.measure("filter"):
            return select_candidates(
                scored,
                group_filter,
                self._rules.keep,
                self._rules.reward_names,
                self._state,
                self._processes.objects,
            )

    def _rewards_here(self, ended: Scored) -> torch.Tensor:
        """The rewards [B, F] of this process's candidates, NaN of the lost; those asked in the race stand."""
        open_ones = [i for i, is_lost in enumerate(ended.rollout.lost) if not is_lost and i not in self._early]
        if open_ones:
            with self._clock.measure("reward"):
                told_BF = self._asks.ask([ended.candidate(i, ()) for i in open_ones], self._state)
            self._early |= dict(zip(open_ones, told_BF.tolist(), strict=True))
        nothing = [torch.nan] * len(self._rules.reward_names)
        return torch.tensor([self._early.get(i, nothing) for i in range(len(ended))])

    def _paid(self, numbers: Sequence[int], scored_BF: torch.Tensor) -> dict[int, tuple[list[float], float]]:
        """The rewards of some candidates by their number, each with the weighted sum (NaN where none applies)."""
        totals_B = weighted_sums(scored_BF, self._rules.reward_weights)
        return {
            number: (values, total)
            for number, values, total in zip(numbers, scored_BF.tolist(), totals_B.tolist(), strict=True)
        }

    def _of_the_kept(self, scored_BF: torch.Tensor) -> torch.Tensor:
        kept_BF = scored_BF[list(self._selected.selection.kept)]
        # Rows that only fill up a group count as unscorable: the parent leaves NaN out of mean and deviation and
        # gives it advantage 0.
        kept_BF[list(self._selected.selection.surplus)] = torch.nan
        return self._processes.gather(kept_BF)

    def _group_tokens(self, like: torch.Tensor) -> torch.Tensor:
        """Tokens of all candidates of all processes: the divisor of the GFPO paper."""
        batch = self._selected
        counted = [
            length
            for length, finished in zip(batch.lengths, batch.rollout.finished, strict=True)
            if finished or self._rules.counts_truncated
        ]
        (tokens,) = self._processes.totals(sum(counted))
        return torch.full_like(like, int(tokens))
