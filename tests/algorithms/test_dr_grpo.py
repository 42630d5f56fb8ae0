"""The loss and gradient of Dr. GRPO."""

from functools import partial

from tests.algorithms.reference import dr_grpo_loss
from tests.algorithms.updates import MAX_TOKENS, assert_equal_to_reference, assert_equal_to_trl

TRL = {"loss_type": "dr_grpo", "scale_rewards": "none", "epsilon": 0.2}


def test_all_kept_is_trl(tmp_path, tiny_model):
    assert_equal_to_trl("dr_grpo", tmp_path, tiny_model, TRL)


def test_some_kept_is_the_papers_formula_over_them(tmp_path, tiny_model):
    assert_equal_to_reference(
        "dr_grpo", tmp_path, tiny_model, partial(dr_grpo_loss, max_tokens=MAX_TOKENS), scaled=False
    )
