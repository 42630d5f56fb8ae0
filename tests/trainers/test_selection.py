"""Which candidates are kept, from scores that a race or the filter gave."""

from gpocli.contracts.filter import GroupFilter
from gpocli.rollout import Rollout
from gpocli.trainers.generation_batch import Drawn
from gpocli.trainers.selection import select_candidates


def scored(lengths, *, lost=(), scores=None, rewards=None):
    ids = [[5] * (length - 1) + [1] for length in lengths]
    rollout = Rollout(
        ids, [i not in lost for i in range(len(ids))], [i in lost for i in range(len(ids))], scores=scores or {}
    )
    rows = [{"prompt": "p"}] * len(ids)
    return Drawn(len(ids), rows, ["p"] * len(ids)).sampled(rollout, ["x"] * len(ids)).scored(rewards or {})


class Counting:
    """Scores by length and notes how many candidates it was asked about."""

    needs_rewards = False

    def __init__(self):
        self.asked = 0

    def __call__(self, group_completions, group_rewards, completion_lengths):
        self.asked += sum(map(len, completion_lengths))
        return [[-float(length) for length in group] for group in completion_lengths]

    def score_bound(self, length):
        return -float(length + 1)


def select(batch, function, keep):
    return select_candidates(batch, GroupFilter([function]), keep, ["right"], None, lambda means: means)


def test_the_highest_scores_are_kept_in_the_order_of_the_candidates():
    assert select(scored([3, 1, 2]), Counting(), 2).kept == [1, 2]


def test_a_lost_candidate_is_never_kept():
    selection = select(scored([1, 2, 3], lost=[0]), Counting(), 2)
    assert (selection.kept, selection.scores) == ([1, 2], [None, (-2.0,), (-3.0,)])


def test_what_the_race_has_scored_is_not_scored_again():
    counting = Counting()
    selection = select(scored([2, 1, 4], lost=[2], scores={0: (-2.0,), 1: (-1.0,)}), counting, 2)
    assert (counting.asked, selection.kept) == (0, [0, 1])


def test_candidates_that_were_cut_are_scored_after_the_race():
    counting = Counting()
    selection = select(scored([2, 1, 4], scores={0: (-2.0,), 1: (-1.0,)}), counting, 2)
    assert (selection.kept, selection.scores) == ([0, 1], [(-2.0,), (-1.0,), (-4.0,)])


def test_a_group_that_keeps_fewer_is_filled_up():
    class OneOnly:
        def __call__(self, group_completions, group_rewards):
            return group_rewards

        def keep_counts(self, keep, group_rewards):
            return [1] * len(group_rewards)

    batch = scored([1, 1, 1], rewards={0: ([0.0], 0.0), 1: ([2.0], 2.0), 2: ([1.0], 1.0)})
    selection = select(batch, OneOnly(), 2)
    assert (selection.kept, selection.surplus) == ([1, 2], [1])


def test_a_filter_that_keeps_fewer_learns_from_the_groups_of_all_processes():
    class Learning(Counting):
        needs_rewards = True

        def keep_counts(self, keep, group_rewards, all_mean_rewards):
            self.learnt = all_mean_rewards
            return [keep] * len(group_rewards)

    learning = Learning()
    batch = scored([1, 2, 3], rewards={0: ([1.0], 1.0), 1: ([0.0], 0.0), 2: ([0.5], 0.5)})
    select_candidates(batch, GroupFilter([learning]), 2, ["right"], None, lambda means: [*means, 0.25])
    assert learning.learnt == [0.5, 0.25]
