"""Records become arrays: a row a prompt, and what nobody could grade left out."""

import numpy as np
import pytest

from gpocli.errors import SpecError
from gpocli.evaluation.figures import Estimate
from gpocli.evaluation.recorded import as_json, graded
from gpocli.runs.records import CandidateWriter
from tests.runs.made_run import candidate


def write(folder, rewards_PN, name="accuracy"):
    """Prompt p, answer n: 10 p + n + 1 tokens; the last answer of each is cut. Prompts are written from the last on."""
    writer = CandidateWriter(folder)
    for prompt, rewards in reversed(list(enumerate(rewards_PN))):
        answers = [
            candidate(
                prompt,
                prompt,
                number,
                "kept",
                text="x" * (10 * prompt + number + 1),
                rewards={name: reward},
                finished=number + 1 < len(rewards),
            )
            for number, reward in enumerate(rewards)
        ]
        writer(answers[::-1])
    return folder


def test_rows_are_prompts_in_order(tmp_path):
    found = graded(write(tmp_path, [[1.0, 0.0], [0.6, 0.5]]), "accuracy")
    assert found.numbers == (0, 1)
    assert found.answers.right_PN.tolist() == [[True, False], [True, False]]
    assert found.answers.length_PN.tolist() == [[1, 2], [11, 12]]
    assert found.answers.cut_PN.tolist() == [[False, True], [False, True]]
    assert found.answers.rewards_PN["accuracy"].tolist() == [[1.0, 0.0], [0.6, 0.5]]


def test_a_prompt_that_nobody_can_grade_is_left_out(tmp_path):
    found = graded(write(tmp_path, [[1.0, 1.0], [None, None], [None, 1.0]]), "accuracy")
    assert (found.numbers, found.ungraded) == ((0, 2), (1,))
    assert found.answers.right_PN.tolist() == [[True, True], [False, True]]
    assert found.only({2}).length_PN.tolist() == [[21, 22]]
    assert found.only({1}).prompts == 0


@pytest.mark.parametrize(("rewards_PN", "right"), [([[1.0]], "exact"), ([[1.0], [1.0, 0.0]], "accuracy")])
def test_records_of_something_else_are_refused(tmp_path, rewards_PN, right):
    with pytest.raises(SpecError, match="are of another evaluation; remove that folder"):
        graded(write(tmp_path, rewards_PN), right)


def test_json_has_null_for_what_is_no_number():
    nan = float("nan")
    assert as_json({"a": Estimate(1.0, nan, np.float64(2.0))}) == {"a": {"value": 1.0, "low": None, "high": 2.0}}
