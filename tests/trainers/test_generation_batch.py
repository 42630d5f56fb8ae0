"""The value that a generation batch is, step by step."""

import pytest

from gpocli.rollout import Rollout
from gpocli.trainers.generation_batch import Drawn, Selection


def drawn():
    rows = [{"prompt": "p", "gpo_row": 7}] * 3 + [{"prompt": "q", "gpo_row": 9}] * 3
    return Drawn(3, rows, [row["prompt"] for row in rows])


def sampled():
    rollout = Rollout(
        [[5, 1], [5], [5, 5, 1], [1], [5, 1], [5, 5]], [True, False, True, True, True, False], [False] * 6
    )
    return drawn().sampled(rollout, list("abcdef"))


def test_groups_are_cut_group_after_group():
    assert drawn().groups == [range(3), range(3, 6)]


def test_lengths_count_the_end_token():
    assert sampled().lengths == [2, 1, 3, 1, 2, 2]


def test_lengths_leave_out_what_a_tool_wrote():
    rollout = Rollout([[5, 6, 6, 1]], [True], [False])
    assert Drawn(1, [{}], ["p"]).sampled(rollout, ["a"], tool_mask=[[1, 0, 0, 1]]).lengths == [2]


@pytest.mark.parametrize("name", ["rollout", "rewards", "selection", "advantages"])
def test_what_is_not_there_yet_cannot_be_asked(name):
    with pytest.raises(AttributeError):
        getattr(drawn(), name)


def test_a_step_keeps_what_was_there_and_changes_nothing():
    before = sampled()
    after = before.scored({0: ([1.0], 1.0)})
    assert (after.rows, after.rollout) == (before.rows, before.rollout)
    assert not hasattr(before, "rewards")


def test_a_filter_is_told_the_rewards_by_name_and_none_where_nobody_asked():
    batch = sampled().scored({0: ([1.0, 0.5], 1.5)})
    told = batch.candidate(0, ["right", "short"])
    assert (told.rewards, told.reward, told.completion) == ({"right": 1.0, "short": 0.5}, 1.5, "a")
    unasked = batch.candidate(1, ["right", "short"])
    assert (unasked.rewards, unasked.finished) == (None, False)


def test_records_tell_the_fate_of_each_candidate():
    # Of the second group only candidate 4 is trained on; 3 fills up and gets no advantage.
    scored = sampled().scored({i: ([float(i)], float(i)) for i in range(6)})
    selected = scored.selected(Selection([0, 2, 3, 4], surplus=[2], scores=[(float(-i),) for i in range(6)]))
    assert selected.trained == [0, 2, 4]
    records = selected.advantaged([0.5, -0.5, 0.0, 1.0]).records(["right"], step=3, first_row=6)
    assert [record.outcome for record in records] == ["kept", "rejected", "kept", "rejected", "kept", "rejected"]
    assert [record.advantage for record in records] == [0.5, None, -0.5, None, 1.0, None]
    assert [(record.group, record.candidate) for record in records[2:4]] == [(2, 2), (3, 0)]
    assert (records[1].prompt_id, records[1].rewards, records[1].filter_score) == (7, {"right": 1.0}, (-1.0,))


def test_lost_candidates_have_no_reward_and_no_score():
    rollout = Rollout([[1], [5], [5]], [True, False, False], [False, True, True])
    batch = Drawn(3, [{"prompt": "p"}] * 3, ["p"] * 3).sampled(rollout, ["a", "b", "c"]).scored({})
    kept = batch.selected(Selection([0], scores=[(-1.0,), None, None]))
    kept = kept.scored_later({0: ([float("nan")], float("nan"))})
    records = kept.advantaged([0.0]).records(["right"], step=1, first_row=0)
    assert [record.outcome for record in records] == ["kept", "lost", "lost"]
    assert [(record.rewards, record.reward, record.filter_score) for record in records] == [
        ({"right": None}, None, (-1.0,)),
        ({"right": None}, None, None),
        ({"right": None}, None, None),
    ]
