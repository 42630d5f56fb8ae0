"""The loss and gradient of Group Sequence Policy Optimization."""

from tests.algorithms.reference import gspo_loss
from tests.algorithms.updates import assert_equal_to_reference, assert_equal_to_trl

TRL = {"loss_type": "grpo", "importance_sampling_level": "sequence", "epsilon": 3e-4, "epsilon_high": 4e-4}


def test_all_kept_is_trl(tmp_path, tiny_model):
    assert_equal_to_trl("gspo", tmp_path, tiny_model, TRL)


def test_some_kept_is_the_papers_formula_over_them(tmp_path, tiny_model):
    assert_equal_to_reference("gspo", tmp_path, tiny_model, gspo_loss)
