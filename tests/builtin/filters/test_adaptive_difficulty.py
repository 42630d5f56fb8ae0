"""Fewer of easy groups are kept, once enough groups were seen to know what easy is."""

import json
import math
import random

import pytest
from pydantic import ValidationError

from gpocli.builtin.filters.adaptive_difficulty import EXTENSION
from gpocli.contracts.filter import GroupFilter, mean_rewards
from gpocli.errors import SpecError

K = 8


def adaptive(**options):
    return GroupFilter([EXTENSION.build(EXTENSION.options(**options))])


def group_of(mean):
    """16 rewards of 0 or 1 with the mean `mean`, a multiple of 1/16."""
    return [1.0] * round(16 * mean) + [0.0] * (16 - round(16 * mean))


def test_paper_counts_by_quartile():
    # ranks 0/15 ... 15/15: 4 up to 1/4, 8 up to 1/2, 12 up to 3/4
    groups = [group_of(number / 16) for number in range(1, 17)]
    assert adaptive(warmup=16).keep_counts(K, groups) == [8] * 8 + [6] * 4 + [4] * 4


def test_batch_is_learnt_from_before_it_is_judged():
    group_filter = adaptive(warmup=4)
    assert group_filter.keep_counts(K, [group_of(0.0)] * 3) == [8, 8, 8]  # 3 seen: not warm
    # 6 seen, 0 0 0 1/2 1 1, with ranks from 0 to 1: 1/2 has 3/5 and 1 has the middle of 4/5 and 1
    assert group_filter.keep_counts(K, [group_of(0.5), group_of(1.0), group_of(1.0)]) == [6, 4, 4]


@pytest.mark.parametrize(
    ("share", "of_nothing", "of_solved"),
    # rank of the ties: share/2 when they are the lowest, 1 - share/2 when they are the highest
    [(0.25, 8, 4), (0.45, 8, 4), (0.7, 8, 6), (0.9, 8, 6), (1.0, 8, 8)],
)
def test_groups_that_are_alike_share_the_middle_of_their_ranks(share, of_nothing, of_solved):
    ties = round(100 * share)
    others = [[0.3 + number / 1000] for number in range(100 - ties)]
    assert adaptive().keep_counts(K, [[0.0]] * ties + others)[0] == of_nothing
    assert adaptive().keep_counts(K, [[1.0]] * ties + others)[0] == of_solved


def test_everything_is_kept_until_warm():
    group_filter = adaptive(warmup=64)
    groups = [group_of(number / 16) for number in range(16)]
    assert group_filter.keep_counts(K, groups * 3) == [8] * 48
    assert group_filter.keep_counts(K, groups) == [8] * 8 + [6] * 4 + [4] * 4


def test_first_group_ever_is_judged_without_warmup():
    assert adaptive(warmup=0).keep_counts(K, [group_of(0.5)]) == [8]


@pytest.mark.parametrize("mean", [0.0, 1.0, 1 / 3, 0.1 + 0.2])
def test_where_all_groups_are_alike_nothing_is_thrown_away(mean):
    assert adaptive(warmup=1).keep_counts(K, [[mean] * 16] * 30) == [8] * 30


def test_group_without_any_reward_keeps_k_and_teaches_nothing():
    group_filter = adaptive(warmup=16)
    groups = [group_of(number / 16) for number in range(1, 17)]
    counts = group_filter.keep_counts(K, [*groups, [math.nan] * 16])
    assert counts == [8] * 8 + [6] * 4 + [4] * 4 + [8]


def test_two_processes_learn_what_one_learns():
    generator = random.Random(0)
    one, left, right = adaptive(warmup=8), adaptive(warmup=8), adaptive(warmup=8)
    for _ in range(20):
        groups = [[generator.random() for _ in range(16)] for _ in range(8)]
        gathered = mean_rewards(groups[1::2]) + mean_rewards(groups[::2])
        counts = one.keep_counts(K, groups, all_mean_rewards=mean_rewards(groups))
        assert left.keep_counts(K, groups[:4], all_mean_rewards=gathered) == counts[:4]
        assert right.keep_counts(K, groups[4:], all_mean_rewards=gathered) == counts[4:]
    assert one.state_dict() == left.state_dict() == right.state_dict()


def test_saved_state_goes_on_as_if_never_stopped():
    generator = random.Random(1)
    straight, stopped = adaptive(), adaptive()
    for step in range(40):
        groups = [[generator.random() for _ in range(16)] for _ in range(16)]
        if step == 20:
            state = json.loads(json.dumps(stopped.state_dict()))
            stopped = adaptive()
            stopped.load_state_dict(state)
        assert stopped.keep_counts(K, groups) == straight.keep_counts(K, groups)


@pytest.mark.parametrize(
    ("keep", "counts"),
    [(8, [8, 8, 6, 4]), (16, [16, 16, 12, 8]), (4, [4, 4, 3, 2]), (3, [3, 3, 3, 2]), (2, [2, 2, 2, 2])],
)
def test_default_counts_follow_k(keep, counts):
    groups = [group_of(mean) for mean in (0.0, 0.25, 0.75, 1.0)]  # ranks 0, 1/3, 2/3, 1
    assert adaptive(warmup=4).keep_counts(keep, groups) == counts


def test_counts_can_be_given():
    groups = [group_of(mean) for mean in (0.0, 0.25, 0.75, 1.0)]
    assert adaptive(warmup=4, keep=[6, 5, 4, 0]).keep_counts(K, groups) == [6, 5, 4, 0]


def test_counts_above_k_are_refused_before_anything_runs():
    adaptive(keep=[8, 8, 6, 4]).check_keep(8)
    with pytest.raises(SpecError) as caught:
        adaptive(keep=[4, 8, 6, 4]).check_keep(4)
    assert str(caught.value) == (
        "filter 'AdaptiveDifficulty': option 'keep' wants 8 of hard groups, but k is 4; raise k to 8 or lower the count"
    )


@pytest.mark.parametrize("options", [{"keep": [8, 8, 6]}, {"keep": [8, 8, 6, -1]}, {"keep": 8}, {"warmup": -1}])
def test_wrong_options_are_refused(options):
    with pytest.raises(ValidationError):
        EXTENSION.options(**options)


def test_scores_are_by_length():
    group_filter = adaptive()
    assert group_filter.adaptive
    assert group_filter.needs_rewards
    assert not group_filter.can_race
    assert group_filter.score([["a", "b"]], [[0.0, 1.0]], completion_lengths=[[5, 3]]) == [[(-5.0,), (-3.0,)]]
