"""Evaluations by hand: twenty prompts, their parts by a column, and what differs from another model."""

from dataclasses import replace

import pytest

from gpocli.errors import SpecError
from gpocli.measuring.measure import measure
from gpocli.measuring.result import column_of, result
from tests.measuring.made_up import plan_of, record, write_data


def never(*_):
    raise AssertionError("everything is recorded")


def measured(tmp_path, name, **how):
    plan = plan_of(write_data(tmp_path / "data.jsonl"))
    record(plan.folder(tmp_path / name), **how)
    return measure(plan, never, never, tmp_path / name)


def test_twenty_prompts_by_hand(tmp_path):
    found = {name: one.value for name, one in measured(tmp_path, "a").figures.items()}
    # 20 of 40 right; 15 of 20 prompts have a right one; 5 * 30 + 10 * 70 + 5 * 150 = 1600 tokens; 5 of 40 cut
    assert found == pytest.approx(
        {
            "accuracy": 0.5,
            "pass@1": 0.5,
            "pass@2": 0.75,
            "mean_length": 40,
            "median_length": 35,
            "length_90": 100,
            "tokens_per_right": 80,
            "cut": 0.125,
            "rewards/accuracy/mean": 0.5,
        }
    )


def test_by_a_column_the_parts_are_counted_alone_numbers_in_order(tmp_path):
    parts = result(measured(tmp_path, "a"), by=["level"]).by["level"]
    assert [(value, one.prompts) for value, one in parts.items()] == [("2", 10), ("10", 10)]
    # of the first ten 5 have two right and 5 have one; of the others 5 have one and 5 none
    assert [one.figures["accuracy"].value for one in parts.values()] == [15 / 20, 5 / 20]
    assert [one.figures["mean_length"].value for one in parts.values()] == [
        (5 * 30 + 5 * 70) / 20,
        (5 * 70 + 5 * 150) / 20,
    ]


def test_beside_another_model_the_same_prompts_are_compared(tmp_path):
    """The other one wrote 4 tokens more each time, and nobody could grade its answers to the last prompt."""
    ours, theirs = measured(tmp_path, "a"), measured(tmp_path, "b", longer=4, ungraded=19)
    found = result(ours, theirs)
    assert found.shared == 19
    assert found.differences["mean_length"].value == found.differences["mean_length"].high == -4
    assert found.differences["accuracy"].value == 0
    assert theirs.graded.ungraded == (19,)


def test_the_excess_that_is_left_away_is_of_three_models(tmp_path):
    base, grpo, ours = (measured(tmp_path, name, longer=more) for name, more in (("a", 0), ("b", 40), ("c", 10)))
    found = result(ours, base, grpo)
    # GRPO adds 40 tokens, of which 30 are not written
    assert [found.excess.value, found.excess.low, found.excess.high] == pytest.approx([0.75] * 3)
    assert found.as_json()["excess_length_reduction"]["value"] == pytest.approx(0.75)


def test_nothing_shared_is_nothing_to_compare(tmp_path):
    ours = measured(tmp_path, "a")
    others = replace(ours, graded=replace(ours.graded, numbers=(77,)))
    with pytest.raises(SpecError, match="no prompt is graded of all models"):
        result(ours, others)


def test_a_column_may_lie_deeper_and_must_be_there(tmp_path):
    plan = plan_of(write_data(tmp_path / "data.jsonl"))
    assert column_of(plan.rows, "level").of(plan.rows[0]) == "2"
    with pytest.raises(SpecError, match="no column 'subject' for --by; there are: prompt, answer, level"):
        column_of(plan.rows, "subject")
