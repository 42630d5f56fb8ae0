"""The course of a generation batch with a filter, in the order in which the parent asks."""

import pytest
import torch
from accelerate import Accelerator

from gpocli.contracts.filter import GroupFilter
from gpocli.errors import PluginError
from gpocli.plugin_manager import load_plugins
from gpocli.rollout import Rollout
from gpocli.trainers.clock import StepClock
from gpocli.trainers.group_round import GroupRound, GroupRules
from gpocli.trainers.processes import Processes

NAN = float("nan")
ROWS = [{"prompt": "p", "number": 1}] * 3


def by_reward(group_completions, group_rewards):
    return group_rewards


def shortest(group_completions, group_rewards, completion_lengths):
    return [[-float(length) for length in group] for group in completion_lengths]


shortest.needs_rewards = False


def opened(group_filter, divisor="kept", index=0, rows=ROWS, keep=2, **options):
    rules = GroupRules(
        group_size=3,
        keep=keep,
        group_filter=GroupFilter([group_filter]),
        reward_names=["right"],
        reward_weights=torch.tensor([1.0]),
        divisor=divisor,
        counts_truncated=True,
        text_of=str,
    )
    processes = Processes(Accelerator(cpu=True))
    processes.index = index
    made = GroupRound(rules, rows, processes=processes, clock=StepClock(), trainer_state=None, **options)
    return made, rules


ROLLOUT = Rollout([[5, 5, 1], [1], [5, 1]], [True] * 3, [False] * 3)


def scorer(asked):
    def score(rows, prompts, completions, ids):
        asked.append(list(completions))
        return torch.tensor([[float("abc".index(completion))] for completion in completions])

    return score


def test_a_group_of_k_equal_prompts_becomes_g():
    made, _ = opened(shortest)
    assert made.draw(["p", "p"]) == ["p", "p", "p"]


def test_a_filter_that_needs_rewards_has_all_of_them_and_none_is_asked_twice():
    made, rules = opened(by_reward)
    made.draw(["p", "p"])
    asked = []
    assert made.choose(ROLLOUT, ["a", "b", "c"], scorer(asked)) == [1, 2]
    rewards = made.rewards(ROWS, ["p", "p"], ["b", "c"], [[1], [5, 1]], scorer(asked))
    assert rewards.tolist() == [[1.0], [2.0]]
    assert asked == [["a", "b", "c"]]
    figures = rules.figures(made.counted())
    assert (figures["candidates/reward"], figures["reward"]) == (1.0, 1.5)


def test_otherwise_the_kept_alone_are_rewarded():
    made, rules = opened(shortest)
    made.draw(["p", "p"])
    asked = []
    assert made.choose(ROLLOUT, ["a", "b", "c"], scorer(asked)) == [1, 2]
    made.rewards(ROWS, ["p", "p"], ["b", "c"], [[1], [5, 1]], scorer(asked))
    assert asked == [["b", "c"]]
    figures = rules.figures(made.counted())
    assert (figures["kept/share"], figures["kept/mean_length"]) == (pytest.approx(2 / 3), 1.5)
    assert (figures["reward"], "candidates/reward" in figures) == (1.5, False)


def numbers(group_completions, group_rewards, group_numbers):
    return [[float(number) for number in group] for group in group_numbers]


numbers.needs_rewards = False
numbers.score_bound = lambda length: 9.0


@pytest.mark.parametrize(("index", "number"), [(0, 0.0), (2, 2.0)])
def test_a_filter_is_told_the_number_of_the_group_among_those_of_all_processes(index, number):
    made, _ = opened(numbers, index=index)
    made.draw(["p", "p"])
    assert made.race().score(1, [5, 1], True) == (number,)
    made.choose(ROLLOUT, ["a", "b", "c"], scorer([]))
    assert made._selected.selection.scores == [(number,)] * 3


def test_the_divisor_of_the_paper_counts_all_candidates():
    made, _ = opened(shortest, divisor="group")
    made.draw(["p", "p"])
    made.choose(ROLLOUT, ["a", "b", "c"], scorer([]))
    made.rewards(ROWS, ["p", "p"], ["b", "c"], [[1], [5, 1]], scorer([]))
    output = {"num_items_in_batch": torch.tensor(3), "advantages": torch.tensor([0.5, -0.5])}
    batch = made.finish(output)
    assert output["num_items_in_batch"].item() == 6
    assert [record.advantage for record in batch.records(["right"], 1, 0)] == [None, 0.5, -0.5]


class Racing:
    needs_rewards = False

    def __call__(self, group_completions, group_rewards, completion_lengths):
        return shortest(group_completions, group_rewards, completion_lengths)

    def score_bound(self, length):
        return -float(length + 1)


def test_a_race_is_told_of_every_candidate():
    made, _ = opened(Racing())
    made.draw(["p", "p"])
    assert made.race().keep == 2
    made.choose(Rollout([[5, 5], [1], [5, 1]], [False, True, True], [True, False, False]), ["a", "b", "c"], scorer([]))
    assert [(one.raced, one.lost, one.kept) for one in made.counted()] == [
        (True, True, False),
        (True, False, True),
        (True, False, True),
    ]


@pytest.mark.parametrize("options", [{"is_whole": True}, {"keep": 3}, {"divisor": "group"}])
def test_no_race_where_the_batch_is_whole_or_nobody_can_be_lost(options):
    made, rules = opened(Racing(), **options)
    made.draw(["p", "p", "p"][: rules.keep])
    assert made.race() is None
    made.choose(ROLLOUT, ["a", "b", "c"], scorer([]))
    assert not any(one.raced for one in made.counted())


def test_in_evaluation_nobody_chooses():
    _, rules = opened(Racing())
    assert rules.of_evaluation(1).group_filter is None
    assert (rules.of_evaluation(5).group_size, rules.of_evaluation(5).keep) == (5, 5)


def test_a_race_scores_a_candidate_by_its_own_prompt_row_and_tokens():
    def told(group_completions, group_rewards, number, prompts, completion_ids, finished):
        (((n,),), ((prompt,),), ((ids,),), ((ended,),)) = number, prompts, completion_ids, finished
        return [[100.0 * n + 10.0 * len(prompt) + len(ids) + 0.5 * ended]]

    told.needs_rewards, told.score_bound = False, lambda length: 0.0
    made, _ = opened(told, rows=[{"prompt": "p", "number": 1}] * 2 + [{"prompt": "pp", "number": 2}] * 2)
    made.draw(["p", "p", "pp", "pp"])
    race = made.race()
    assert race.score(2, [5, 1], True) == (112.5,)
    assert race.score(3, [5, 5, 5], False) == (223.0,)


class FewAs:
    """1 for a completion with few letters a, known for any one by itself."""

    def __call__(self, completions, completion_ids):
        return [float(text.count("a") <= len(ids) / 40) for text, ids in zip(completions, completion_ids, strict=True)]

    def reward_bound(self, length):
        return 1.0


@pytest.mark.parametrize("names", [["token_efficiency"], ["correct", "length"], ["correct"]])
def test_a_race_with_rewards_trains_as_without_one(gfpo, names):
    host = load_plugins(entry_points=False)

    def trained(race):
        trainer = gfpo(
            rewards=[FewAs(), host.build_reward("length_penalty", {"max_tokens": 90}).function],
            reward_weights=[1.0, 0.3],
            group_filter_func=[host.build_filter(name) for name in names],
            max_completion_length=40,
            num_generations=8,
            whole_every=0,
            max_steps=2,
            race=race,
        )
        records = []
        trainer.on_candidates = records.extend
        trainer.train()
        kept = [(one.tokens, one.reward, one.rewards, one.filter_score, one.advantage) for one in records if one.kept]
        log = [entry for entry in trainer.state.log_history if "loss" in entry]
        return records, kept, log, trainer.model.state_dict()

    raced, kept_of_race, log, weights = trained(True)
    full, kept_of_all, log_of_all, weights_of_all = trained(False)
    assert sum(one.length for one in raced) < sum(one.length for one in full)
    assert kept_of_race == kept_of_all
    assert [entry["loss"] for entry in log] == [entry["loss"] for entry in log_of_all]
    assert all(weights[name].equal(weights_of_all[name]) for name in weights)
    lost = [one for one in raced if one.outcome == "lost"]
    assert lost
    assert all(one.reward is None and one.filter_score is None for one in lost)
    assert all("candidates/reward" in entry for entry in log_of_all)
    assert not any("candidates/reward" in entry for entry in log)


@pytest.mark.slow
def test_a_race_with_rewards_on_a_server_keeps_what_full_generation_keeps(served):
    def kept(race):
        filters = [load_plugins(entry_points=False).build_filter(name) for name in ("correct", "length")]
        options = {"max_completion_length": 40, "num_generations": 8, "whole_every": 0, "race": race}
        records = []
        trainer = served(rewards=FewAs(), group_filter_func=filters, **options)
        trainer.on_candidates = records.extend
        trainer.train()
        return records, [(one.tokens, one.reward, one.advantage) for one in records if one.kept]

    raced, kept_of_race = kept(True)
    assert kept_of_race == kept(False)[1]
    assert any(one.outcome == "lost" for one in raced)


class Broken(FewAs):
    def __call__(self, completions):
        raise ValueError("no")


@pytest.mark.parametrize("trainer", ["gfpo", pytest.param("served", marks=pytest.mark.slow)])
def test_a_reward_that_fails_in_a_race_stops_the_run_with_its_line(request, trainer):
    efficient = load_plugins(entry_points=False).build_filter("token_efficiency")
    made = request.getfixturevalue(trainer)(rewards=Broken(), group_filter_func=efficient, whole_every=0)
    with pytest.raises(PluginError, match=r'^reward "Broken" failed on a batch of 1: ValueError: no '):
        made.train()
