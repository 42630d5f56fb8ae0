"""What holds for each built-in filter alike."""

import itertools
import math
import random

import pytest

from gpocli.builtin.filters import adaptive_difficulty, correct, length, token_efficiency
from gpocli.contracts.filter import GroupFilter, select
from gpocli.contracts.option_docs import option_docs

MODULES = [adaptive_difficulty, correct, length, token_efficiency]  # `random` is about places, not candidates
TEXTS = ["a", "bb", "ccc", "dddd", "e"]
REWARDS = [0.5, -1.0, 1.0, 0.0, math.nan]
LENGTHS = [3, 1, 8, 5, 2]


def score(module, order, *, chat=False):
    group_filter = GroupFilter([module.EXTENSION.build(module.EXTENSION.options())])
    texts = [TEXTS[i] for i in order]
    completions = [[{"role": "assistant", "content": text}] for text in texts] if chat else texts
    return group_filter.score(
        [completions], [[REWARDS[i] for i in order]], completion_lengths=[[LENGTHS[i] for i in order]]
    )[0]


@pytest.mark.parametrize("module", MODULES)
def test_permuting_candidates_permutes_scores_and_kept(module):
    scores = score(module, range(5))
    for order in random.Random(0).sample(list(itertools.permutations(range(5))), 30):
        assert score(module, order) == [scores[i] for i in order]
        if len(set(scores)) == 5:
            assert sorted(order[place] for place in select(score(module, order), 2)) == select(scores, 2)


@pytest.mark.parametrize("module", MODULES)
def test_text_and_messages_score_the_same(module):
    assert score(module, range(5), chat=True) == score(module, range(5))


@pytest.mark.parametrize("module", MODULES)
def test_every_option_says_what_it_is(module):
    assert all(option.doc for option in option_docs(module.EXTENSION.options))
