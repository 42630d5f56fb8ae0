"""What holds for every built-in filter that the registry has, as it has them."""

import itertools
import math
import random

import pytest

from gpocli.contracts.filter import GroupFilter, select
from gpocli.contracts.option_docs import option_docs
from gpocli.data import gather
from gpocli.plugin_manager import load_plugins
from gpocli.trial.filter import try_filter
from gpocli.trial.made_up import made_up

HOST = load_plugins(entry_points=False)
TEXTS = ["a", "bb", "ccc", "dddd", "e"]
REWARDS = [0.5, -1.0, 1.0, 0.0, math.nan]
LENGTHS = [3, 1, 8, 5, 2]
PROMPTS = {"text": "2+2=?", "chat": [{"role": "user", "content": "2+2=?"}]}

every_filter = pytest.mark.parametrize("name", HOST.filters)


def score(name, *groups, chat=False):
    """The scores of groups, each a choice among the five candidates above."""

    def pick(values):
        return [[values[i] for i in group] for group in groups]

    completions = pick([[{"role": "assistant", "content": text}] for text in TEXTS] if chat else TEXTS)
    return GroupFilter([HOST.build_filter(name)]).score(completions, pick(REWARDS), completion_lengths=pick(LENGTHS))


@every_filter
def test_permuting_candidates_permutes_scores_and_kept(name):
    (scores,) = score(name, range(5))
    for order in random.Random(0).sample(list(itertools.permutations(range(5))), 30):
        (permuted,) = score(name, order)
        if permuted == scores:  # by lot: a score belongs to a place
            continue
        assert permuted == [scores[i] for i in order]
        if len(set(scores)) == 5:
            assert sorted(order[place] for place in select(permuted, 2)) == select(scores, 2)


@every_filter
def test_text_and_messages_score_the_same(name):
    assert score(name, range(5), [4, 2], chat=True) == score(name, range(5), [4, 2])


@every_filter
def test_groups_of_one_of_none_and_no_groups_are_scored(name):
    assert [len(group) for group in score(name, [2], [])] == [1, 0]
    assert score(name) == []


@every_filter
@pytest.mark.parametrize("prompt", PROMPTS.values(), ids=PROMPTS)
def test_a_trial_finds_no_fault(name, prompt):
    rows = gather("here", [(line, {"prompt": prompt, "answer": str(line)}) for line in (1, 2)])
    assert try_filter(HOST.build_filter(name), name, made_up(rows), 3).faults == []


@every_filter
def test_it_is_built_under_its_own_name(name):
    assert GroupFilter([HOST.build_filter(name)]).name == name


@every_filter
def test_every_option_says_what_it_is(name):
    assert all(option.doc for option in option_docs(HOST.filters[name].extension.options))


@every_filter
def test_no_longer_completion_with_a_lower_reward_is_above_the_bound(name):
    race = GroupFilter([HOST.build_filter(name)])
    if not race.can_race:
        return
    for most, length, more in itertools.product([-2.0, 0.0, 5e-324, 0.5, 3.0], [0, 1, 7], [1, 2, 50]):
        (bound,) = race.score_bound(length, most, {})
        for reward in (most, most - 1.0, math.nextafter(most, -math.inf), math.nan):
            ((score,),) = race.score([["a"]], [[reward]], completion_lengths=[[length + more]])[0]
            assert score <= bound
