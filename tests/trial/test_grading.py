import pytest

from gpocli.builtin.rewards.accuracy import EXTENSION
from gpocli.contracts.building import NamedReward
from gpocli.data.load import raw_rows
from gpocli.errors import SpecError
from gpocli.settings.data import DataSpec
from gpocli.trial.grading import BATCH, grade

ACCURACY = NamedReward("accuracy", EXTENSION.build(EXTENSION.options()), ("answer",))


def graded(folder, *rows):
    """The agreement of accuracy with rows of text, grade and gold answer."""
    file = folder / "outputs.csv"
    file.write_text("text,grade,answer\n" + "".join(",".join(row) + "\n" for row in rows), encoding="utf-8")
    return grade(ACCURACY, raw_rows(DataSpec(source=str(file))), "text", "grade")


def test_agreement_is_of_the_completions_with_a_reward(tmp_path):
    found = graded(
        tmp_path, ("5", "true", "5"), ("6", "wrong", "5"), ("5", "0", "5"), ("6", "1.0", "5"), ("6", "yes", "?")
    )
    assert found.share == 0.5
    assert [one.place[-1] for one in (*found.paid, *found.refused, *found.missing)] == ["4", "5", "6"]


def test_nothing_to_judge_agrees_with_nothing(tmp_path):
    assert graded(tmp_path, ("6", "yes", "?")).share == 0.0


def test_more_than_a_batch_keeps_its_order(tmp_path):
    found = graded(tmp_path, *[("5", "true", str(number)) for number in range(BATCH + 6)])
    assert [row for row, one in enumerate(found.graded) if one.reward == 1.0] == [5]


def test_what_is_no_grade_is_told_with_its_place(tmp_path):
    with pytest.raises(
        SpecError, match=r"outputs.csv:2: 'good' in the column 'grade' is no grade; write true or false"
    ):
        graded(tmp_path, ("5", "good", "5"))
