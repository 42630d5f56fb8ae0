"""The loss and gradient of DAPO."""

from tests.algorithms.reference import dapo_loss
from tests.algorithms.updates import assert_equal_to_reference, assert_equal_to_trl

TRL = {"loss_type": "dapo", "epsilon": 0.2, "epsilon_high": 0.28}


def test_all_kept_is_trl(tmp_path, tiny_model):
    assert_equal_to_trl("dapo", tmp_path, tiny_model, TRL)


def test_some_kept_is_the_papers_formula_over_them(tmp_path, tiny_model):
    assert_equal_to_reference("dapo", tmp_path, tiny_model, dapo_loss)
