"""The loss and gradient of CISPO."""

from functools import partial

from tests.algorithms.reference import cispo_loss
from tests.algorithms.updates import assert_equal_to_reference, assert_equal_to_trl

CAP = 1.2  # a low one, that acts within a few updates
TRL = {"loss_type": "cispo", "epsilon_high": CAP}


def test_all_kept_is_trl(tmp_path, tiny_model):
    assert_equal_to_trl("cispo", tmp_path, tiny_model, TRL, epsilon_high=CAP)


def test_some_kept_is_the_papers_formula_over_them(tmp_path, tiny_model):
    assert_equal_to_reference("cispo", tmp_path, tiny_model, partial(cispo_loss, cap=CAP), epsilon_high=CAP)
