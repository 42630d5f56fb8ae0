"""Filters are called in one place, with what they ask for, and what they return is checked there."""

import functools
import itertools
import math
import random
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from gpocli.contracts.filter import GroupFilter, NamedFilter, mean_rewards, select
from gpocli.errors import PluginError, SpecError

TEXTS = [["a", "bb"], ["ccc", "d"], ["e", "ff"]]  # P = 3 groups of G = 2
REWARDS = [[0.0, 1.0], [1.0, 1.0], [0.0, 0.0]]


def shortest_text(group_completions, group_rewards, **kwargs):
    return [[-len(text) for text in group] for group in group_completions]


class Shortest:
    needs_rewards = False

    def __call__(self, group_completions, group_rewards, completion_lengths, **kwargs):
        return [[-length for length in group] for group in completion_lengths]

    def score_bound(self, length):
        return -(length + 1)


def returning(value):
    def constant(group_completions, group_rewards):
        return value

    return GroupFilter([constant])


# What a filter is given


def test_filter_scores_each_candidate_in_place():
    assert GroupFilter([shortest_text]).score(TEXTS, REWARDS) == [
        [(-1.0,), (-2.0,)],
        [(-3.0,), (-1.0,)],
        [(-1.0,), (-2.0,)],
    ]


def test_filter_is_called_once_a_batch_with_whole_groups():
    seen = []

    def spy(group_completions, group_rewards, prompts):
        seen.append((group_completions, group_rewards, prompts))
        return [[0, 0]] * 3

    prompts = [["red"] * 2, ["green"] * 2, ["blue"] * 2]
    GroupFilter([spy]).score(TEXTS, REWARDS, prompts=prompts)
    assert seen == [(TEXTS, REWARDS, prompts)]


def test_filter_that_names_some_keywords_gets_only_those():
    def picky(group_completions, group_rewards, answer):
        return [[float(value == "7") for value in group] for group in answer]

    scores = GroupFilter([picky]).score([["a", "b"]], [[0.0, 0.0]], answer=[["7", "8"]], finished=[[True, True]])
    assert scores == [[(1.0,), (0.0,)]]


def test_filter_with_kwargs_gets_everything():
    seen = {}

    def greedy(group_completions, group_rewards, **kwargs):
        seen.update(kwargs)
        return [[0, 0]]

    state = SimpleNamespace(global_step=3)
    GroupFilter([greedy]).score([["a", "b"]], [[0.0, 0.0]], finished=[[True, False]], trainer_state=state)
    assert seen == {"finished": [[True, False]], "trainer_state": state}


def test_default_of_a_keyword_that_is_not_there_is_kept():
    def optional(group_completions, group_rewards, hint=None):
        return [[0.0 if hint is None else 1.0] * 2]

    assert GroupFilter([optional]).score([["a", "b"]], [[0.0, 0.0]]) == [[(0.0,), (0.0,)]]


def test_partial_keeps_what_it_bound_over_a_column_of_that_name():
    def weighted(group_completions, group_rewards, *, weight, **kwargs):
        return [[weight * len(text) for text in group] for group in group_completions]

    group_filter = GroupFilter([functools.partial(weighted, weight=2)])
    assert group_filter.score([["a", "bb"]], [[0.0, 0.0]], weight=[[9, 9]]) == [[(2.0,), (4.0,)]]


def test_column_named_like_a_leading_argument_does_not_clash():
    def first(group_completions, group_rewards, **kwargs):
        return [[0, 1]]

    assert GroupFilter([first]).score([["a", "b"]], [[0, 0]], group_completions=[[1, 2]], self=[[1, 2]]) == [
        [(0.0,), (1.0,)]
    ]


def test_filter_without_need_of_rewards_sees_none():
    def blind(group_completions, group_rewards, rewards_per_func):
        assert group_rewards is None
        assert rewards_per_func is None
        return [[0, 0]]

    blind.needs_rewards = False
    GroupFilter([blind]).score([["a", "b"]], [[1.0, 2.0]], rewards_per_func={"accuracy": [[1.0, 2.0]]})


def test_filter_cannot_change_what_others_see():
    def vandal(group_completions, group_rewards, completion_lengths, rewards_per_func, **kwargs):
        group_rewards[0].sort()
        completion_lengths[0].clear()
        rewards_per_func["accuracy"][0].clear()
        group_completions.clear()
        return [[0, 0]]

    def honest(group_completions, group_rewards, completion_lengths, rewards_per_func):
        assert rewards_per_func == {"accuracy": [[1.0, 0.0]]}
        return [[reward * length for reward, length in zip(*pair, strict=True)] for pair in
                zip(group_rewards, completion_lengths, strict=True)]  # fmt: skip

    scores = GroupFilter([vandal, honest]).score(
        [["a", "b"]], [[2.0, 1.0]], completion_lengths=[[3, 5]], rewards_per_func={"accuracy": [[1.0, 0.0]]}
    )
    assert scores == [[(0.0, 6.0), (0.0, 5.0)]]


def test_keyword_that_nobody_gives_is_named():
    def wants(group_completions, group_rewards, difficulty):
        return [[0, 0]]

    with pytest.raises(PluginError) as caught:
        GroupFilter([wants]).score([["a", "b"]], [[0, 0]], answer=[["7", "7"]], finished=[[True, True]])
    assert str(caught.value) == (
        "filter 'wants' needs 'difficulty', which is neither a data column nor one of what gpo gives to "
        "filters; there are: answer, finished"
    )


# What cannot be a filter


def only_completions(group_completions):
    return []


def swapped(group_completions, completion_lengths):
    return []


@pytest.mark.parametrize(
    ("candidate", "message"),
    [
        (3, "3 is not a filter; pass a callable"),
        (Shortest, "filter 'Shortest' is a class; pass an instance: Shortest()"),
        (
            only_completions,
            "filter 'only_completions' must take group_completions and group_rewards as its first two arguments",
        ),
        (
            swapped,
            "filter 'swapped' must take group_completions and group_rewards as its first two arguments, "
            "not 'completion_lengths'",
        ),
    ],
)
def test_what_cannot_be_called_as_a_filter_is_refused_at_once(candidate, message):
    with pytest.raises(PluginError) as caught:
        GroupFilter([candidate])
    assert str(caught.value) == message


def test_empty_chain_is_refused():
    with pytest.raises(SpecError, match="a group filter needs at least one filter; name one"):
        GroupFilter([])


# What a filter returns


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        (None, "filter 'constant' returned None; return a list of scores for each group"),
        ("scores", "filter 'constant' returned 'scores' (str); return a list of scores for each group"),
        ({0: 1.0}, "filter 'constant' returned {0: 1.0} (dict); return a list of scores for each group"),
        ([], "filter 'constant' returned 0 lists of scores for 3 groups; return a list of scores for each group"),
        (
            [[1, 2]],
            "filter 'constant' returned 1 list of scores for 3 groups; return a list of scores for each group",
        ),
        (
            [[1, 2]] * 4,
            "filter 'constant' returned 4 lists of scores for 3 groups; return a list of scores for each group",
        ),
        ([1, 2, 3], "filter 'constant' returned 1 (int) for group 0; return a list of 2 scores"),
        (
            [[1, 2], [1], [1, 2]],
            "filter 'constant' returned 1 score for group 1, which has 2 candidates; return one score for each "
            "candidate",
        ),
        (
            [[1, 2], [1, 2], [1, 2, 3]],
            "filter 'constant' returned 3 scores for group 2, which has 2 candidates; return one score for each "
            "candidate",
        ),
        (
            [[1, 2], [1, "high"], [1, 2]],
            "filter 'constant' returned 'high' (str) as the score of candidate 1 of group 1; return a finite number",
        ),
        (
            [[1, 2], [1, 2], [None, 2]],
            "filter 'constant' returned None as the score of candidate 0 of group 2; return a finite number",
        ),
        (
            [[1, [2]], [1, 2], [1, 2]],
            "filter 'constant' returned [2] (list) as the score of candidate 1 of group 0; return a finite number",
        ),
        (
            [[1, 1j], [1, 2], [1, 2]],
            "filter 'constant' returned 1j (complex) as the score of candidate 1 of group 0; return a finite number",
        ),
    ],
)
def test_wrong_shape_or_type_is_told(returned, message):
    with pytest.raises(PluginError) as caught:
        returning(returned).score(TEXTS, REWARDS)
    assert str(caught.value) == message


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, np.float32("nan"), torch.tensor(math.nan)])
def test_score_that_is_not_finite_is_refused(value):
    with pytest.raises(PluginError, match=r"as the score of candidate 1 of group 2; return a finite number$"):
        returning([[1, 2], [1, 2], [1, value]]).score(TEXTS, REWARDS)


def test_number_too_large_for_a_float_is_refused():
    with pytest.raises(PluginError, match="as the score of candidate 0 of group 0; return a finite number"):
        returning([[10**400, 1]]).score([["a", "b"]], [[0, 0]])


@pytest.mark.parametrize(
    "value",
    [True, 1, 1.0, np.True_, np.int64(1), np.float32(1), np.array(1.0), torch.tensor(1), torch.tensor(True)],
)
def test_whatever_is_one_number_is_a_score(value):
    assert returning([[value, 0]]).score([["a", "b"]], [[0, 0]]) == [[(1.0,), (0.0,)]]


@pytest.mark.parametrize("value", [np.array([[1.0, 2.0]]), torch.tensor([[1, 2]]), ((1, 2),), [np.array([1, 2])]])
def test_arrays_tensors_and_tuples_are_lists(value):
    assert returning(value).score([["a", "b"]], [[0, 0]]) == [[(1.0,), (2.0,)]]


def test_error_inside_a_filter_names_filter_cause_and_place():
    def fragile(group_completions, group_rewards):
        raise ValueError("no digits\nin 'abc'")

    line = fragile.__code__.co_firstlineno + 1
    with pytest.raises(PluginError) as caught:
        GroupFilter([fragile]).score(TEXTS, REWARDS)
    assert str(caught.value) == (f"filter 'fragile' failed: ValueError: no digits in 'abc' (test_filter.py:{line})")
    assert isinstance(caught.value.__cause__, ValueError)


def test_error_that_is_already_told_passes_through():
    def told(group_completions, group_rewards):
        raise SpecError("reward 'acuracy' is unknown; did you mean 'accuracy'?")

    with pytest.raises(SpecError, match=r"^reward 'acuracy' is unknown"):
        GroupFilter([told]).score(TEXTS, REWARDS)


def test_a_wrong_chain_member_is_the_one_named():
    def broken(group_completions, group_rewards):
        return [[1, 2]]

    with pytest.raises(PluginError, match=r"^filter 'broken' returned 1 list of scores for 3 groups"):
        GroupFilter([shortest_text, broken]).score(TEXTS, REWARDS)


# What the caller must hold


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"finished": [[True, True]] * 2}, "the groups of 'finished' do not line up with the completions"),
        ({"answer": [["7"]] * 3}, "the groups of 'answer' do not line up with the completions"),
        ({"rewards_per_func": {"exact": [[1.0]]}}, r"the groups of 'rewards_per_func\[exact\]' do not line up"),
        ({"prompts": [["red", "red"], ["green", "blue"], ["blue", "blue"]]}, "group 1 holds candidates of diff"),
    ],
)
def test_groups_that_do_not_line_up_are_a_fault_of_the_caller(keywords, message):
    with pytest.raises(ValueError, match=message):
        GroupFilter([shortest_text]).score(TEXTS, REWARDS, **keywords)


def test_rewards_in_windows_instead_of_groups_are_refused():
    with pytest.raises(ValueError, match=r"the groups of 'group_rewards' do not line up"):
        GroupFilter([shortest_text]).score(TEXTS, [[0.0, 1.0], [1.0]])


def test_rewards_must_be_there_for_a_filter_that_needs_them():
    with pytest.raises(ValueError, match="filter 'shortest_text' needs the rewards of the groups"):
        GroupFilter([shortest_text]).score(TEXTS, None)


def test_groups_may_differ_in_size():
    scores = GroupFilter([shortest_text]).score([["a"], ["bb", "c"]], [[0.0], [0.0, 0.0]])
    assert scores == [[(-1.0,)], [(-2.0,), (-1.0,)]]


# Names and capabilities


def test_any_callable_has_a_name():
    class Judge:
        def rank(self, group_completions, group_rewards):
            return []

        def __call__(self, group_completions, group_rewards):
            return []

    filters = [
        shortest_text,
        functools.partial(functools.partial(shortest_text, x=1), y=2),
        lambda group_completions, group_rewards: [],
        Judge(),
        Judge().rank,
        NamedFilter("mine", shortest_text),
    ]
    names = [GroupFilter([item]).name for item in filters]
    assert names == ["shortest_text", "shortest_text", "lambda", "Judge", "Judge.rank", "mine"]


def test_capabilities_of_a_plain_function():
    group_filter = GroupFilter([shortest_text])
    assert (group_filter.needs_rewards, group_filter.adaptive, group_filter.can_race) == (True, False, False)


def test_race_needs_a_bound_on_every_filter_of_the_chain():
    assert GroupFilter([Shortest()]).can_race
    assert not GroupFilter([Shortest()]).needs_rewards
    assert GroupFilter([Shortest(), Shortest()]).can_race
    assert not GroupFilter([Shortest(), shortest_text]).can_race


def test_it_says_which_filter_of_a_chain_keeps_it_from_racing():
    assert GroupFilter([Shortest()]).why_no_race is None
    assert GroupFilter([Shortest(), shortest_text]).why_no_race == "filter 'shortest_text' has no score_bound"
    assert GroupFilter([Halves(), Shortest()]).why_no_race == "filter 'Halves' needs the rewards of all"


def test_a_filter_that_looks_at_rewards_is_told_the_highest_ones_that_are_possible():
    class MostPaid:
        def __call__(self, group_completions, group_rewards):
            return group_rewards

        def score_bound(self, length, max_reward, max_rewards):
            return max_reward + max_rewards["right"] + length

    race = GroupFilter([MostPaid(), Shortest()])
    assert race.can_race
    assert race.needs_rewards
    assert race.score_bound(4, 0.5, {"right": 2.0}) == (6.5, -5.0)


def test_bound_of_a_chain_is_the_bound_of_each():
    assert GroupFilter([Shortest(), Shortest()]).score_bound(4) == (-5.0, -5.0)


def test_bound_may_be_infinite_but_not_nan():
    class Unsure(Shortest):
        def __init__(self, bound):
            self.bound = bound

        def score_bound(self, length):
            return self.bound

    assert GroupFilter([Unsure(math.inf)]).score_bound(4) == (math.inf,)
    for wrong in (math.nan, -math.inf, None):
        with pytest.raises(PluginError, match=r"^filter 'Unsure' returned .* as score_bound\(4\); return the"):
            GroupFilter([Unsure(wrong)]).score_bound(4)


# Adaptive filters


class Halves:
    """Keeps all of a group that got nothing, half of another."""

    def __init__(self, counts=None):
        self.counts = counts
        self.seen = []

    def __call__(self, group_completions, group_rewards):
        return [[0.0 for _ in group] for group in group_completions]

    def keep_counts(self, keep, group_rewards, all_mean_rewards=None):
        self.seen.append(all_mean_rewards)
        return self.counts or [keep if sum(group) == 0 else keep // 2 for group in group_rewards]


def test_keep_counts_of_a_filter_that_has_none():
    assert GroupFilter([shortest_text]).keep_counts(4, REWARDS) == [4, 4, 4]
    assert GroupFilter([Shortest()]).keep_counts(4, None, finished=[[True], [True]]) == [4, 4]


def test_keep_counts_without_any_group_is_a_fault_of_the_caller():
    with pytest.raises(ValueError, match="keep_counts needs the rewards or a grouped keyword"):
        GroupFilter([Shortest()]).keep_counts(4, None)


def test_keep_counts_that_takes_too_little_is_told():
    class Narrow(Halves):
        def keep_counts(self, keep):
            return [keep]

    with pytest.raises(PluginError) as caught:
        GroupFilter([Narrow()]).keep_counts(4, REWARDS)
    assert str(caught.value) == "filter 'Narrow' (keep_counts) must take 2 positional arguments"


def test_keep_counts_of_an_adaptive_filter():
    halves = Halves()
    group_filter = GroupFilter([halves])
    assert group_filter.adaptive
    assert not group_filter.can_race
    assert group_filter.keep_counts(4, REWARDS, all_mean_rewards=[0.5, 1.0]) == [2, 2, 4]
    assert halves.seen == [[0.5, 1.0]]


def test_adaptive_filter_may_stand_anywhere_in_a_chain_but_once():
    assert GroupFilter([shortest_text, Halves()]).keep_counts(4, REWARDS) == [2, 2, 4]
    with pytest.raises(SpecError) as caught:
        GroupFilter([Halves(), Halves()])
    assert str(caught.value) == ("filters 'Halves' and 'Halves' both decide how many are kept; chain only one of them")


def test_adaptive_filter_always_gets_the_rewards():
    class Blind(Halves):
        needs_rewards = False

    group_filter = GroupFilter([Blind()])
    assert group_filter.needs_rewards
    assert group_filter.keep_counts(4, REWARDS) == [2, 2, 4]


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ([4, 4], "filter 'Halves' returned 2 keep counts for 3 groups; return one count for each group"),
        (7, "filter 'Halves' returned 7 (int) as keep_counts; return one count for each group"),
        ([4, 5, 4], "filter 'Halves' wants to keep 5 (int) of group 1; return a whole number from 0 to k = 4"),
        ([4, -1, 4], "filter 'Halves' wants to keep -1 (int) of group 1; return a whole number from 0 to k = 4"),
        ([4, 4, 2.5], "filter 'Halves' wants to keep 2.5 of group 2; return a whole number from 0 to k = 4"),
        ([4, 4, True], "filter 'Halves' wants to keep True (bool) of group 2; return a whole number from 0 to k = 4"),
    ],
)  # fmt: skip
def test_wrong_keep_counts_are_told(counts, message):
    with pytest.raises(PluginError) as caught:
        GroupFilter([Halves(counts)]).keep_counts(4, REWARDS)
    assert str(caught.value) == message


def test_keep_counts_of_zero_and_numpy_integers_are_counts():
    assert GroupFilter([Halves([np.int64(0), 4, 2.0])]).keep_counts(4, REWARDS) == [0, 4, 2]


def test_filter_can_refuse_a_k_it_cannot_work_with():
    class Even(Halves):
        def check_keep(self, keep):
            if keep % 2:
                raise ValueError(f"k must be even, not {keep}; write {keep + 1}")

    GroupFilter([shortest_text, Even()]).check_keep(4)
    with pytest.raises(SpecError, match=r"^filter 'Even': k must be even, not 3; write 4$"):
        GroupFilter([shortest_text, Even()]).check_keep(3)


def test_failure_to_check_k_is_the_filters_own():
    class Fragile(Halves):
        def check_keep(self, keep):
            raise KeyError("k")

    with pytest.raises(PluginError, match=r"^filter 'Fragile' \(check_keep\) failed: KeyError: 'k' "):
        GroupFilter([Fragile()]).check_keep(3)


def test_async_filter_is_refused():
    async def slow(group_completions, group_rewards):
        return []

    with pytest.raises(PluginError) as caught:
        GroupFilter([slow])
    assert str(caught.value) == "filter 'slow' is async; define it with def, for filters are never awaited"


def test_state_goes_back_to_the_filter_it_came_from():
    class Counter(Halves):
        total = 0

        def state_dict(self):
            return {"total": self.total}

        def load_state_dict(self, state):
            self.total = state["total"]

    first, second = Counter(), Counter()
    first.total = 5
    state = GroupFilter([shortest_text, first]).state_dict()
    assert state == {"1:Counter": {"total": 5}}
    GroupFilter([shortest_text, second]).load_state_dict(state)
    assert second.total == 5
    with pytest.raises(SpecError) as caught:
        GroupFilter([shortest_text]).load_state_dict(state)
    assert str(caught.value) == (
        "the saved state is of the filters ['1:Counter'], but this run has []; "
        "resume with the filters that the run was started with"
    )


def test_mean_rewards_leave_out_what_no_reward_applied_to():
    means = mean_rewards([[0.0, 1.0, math.nan], [math.nan], [0.1] * 10])
    assert means[0] == 0.5
    assert math.isnan(means[1])
    assert means[2] == pytest.approx(0.1, abs=1e-15)


# Selection


def test_highest_are_kept_in_ascending_order_of_place():
    assert select([(1.0,), (4.0,), (2.0,), (3.0,)], 2) == [1, 3]


def test_of_equal_scores_the_earlier_candidate_wins():
    assert select([(0.0,)] * 5, 2) == [0, 1]
    assert select([(0.0,), (1.0,), (0.0,), (0.0,)], 3) == [0, 1, 2]


def test_next_filter_breaks_the_ties_of_the_first():
    assert select([(1.0, -9.0), (0.0, -1.0), (1.0, -5.0), (1.0, -7.0)], 2) == [2, 3]


def test_keeping_all_or_none():
    assert select([(1.0,), (2.0,)], 2) == [0, 1]
    assert select([(1.0,), (2.0,)], 0) == []


def test_cannot_keep_more_than_there_are():
    with pytest.raises(ValueError, match="cannot keep 3 of 2 candidates"):
        select([(1.0,), (2.0,)], 3)


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=6), st.data())
def test_selection_equals_brute_force(scores, data):
    keep = data.draw(st.integers(0, len(scores)))
    by_rank = sorted(range(len(scores)), key=lambda i: (-scores[i][0], -scores[i][1], i))
    assert select(scores, keep) == sorted(by_rank[:keep])


def test_permuting_candidates_permutes_what_is_kept():
    texts = ["a" * length for length in (5, 3, 9, 1, 7, 2)]
    group_filter = GroupFilter([shortest_text])
    kept = {texts[i] for i in select(group_filter.score([texts], [[0.0] * 6])[0], 3)}
    for order in random.Random(0).sample(list(itertools.permutations(range(6))), 50):
        shuffled = [texts[i] for i in order]
        again = select(group_filter.score([shuffled], [[0.0] * 6])[0], 3)
        assert {shuffled[i] for i in again} == kept


def test_contract_needs_no_torch_and_no_numpy():
    code = "import sys, gpocli.contracts.filter; sys.exit(any(m in sys.modules for m in ('torch', 'numpy')))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_filter_that_exits_is_named():
    def leaves(group_completions, group_rewards):
        raise SystemExit(1)

    with pytest.raises(PluginError, match=r"^filter 'leaves' failed: SystemExit: 1"):
        GroupFilter([leaves]).score([["a"]], [[1.0]])
