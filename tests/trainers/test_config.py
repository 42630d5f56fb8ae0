"""The numbers of a filtered run fit together, or one line says why not."""

import pytest
import torch

from gpocli import GFPOConfig, GMPOConfig
from tests.trainers.conftest import length_filter


def gfpo_config(tmp_path, **options):
    defaults = {"use_cpu": True, "bf16": False, "per_device_train_batch_size": 4, "num_generations": 8}
    return GFPOConfig(output_dir=str(tmp_path), **(defaults | options))


def message(call):
    with pytest.raises(ValueError) as caught:
        call()
    return str(caught.value)


@pytest.mark.parametrize("keep", [0, 1, 9])
def test_k_lies_between_two_and_g(tmp_path, keep):
    assert message(lambda: gfpo_config(tmp_path, num_remains_in_group=keep)) == (
        f"num_remains_in_group is {keep}, but must lie between 2 and num_generations (8): advantages compare the kept "
        "completions of a group with each other"
    )


def test_the_batch_counts_kept_completions_in_whole_groups(tmp_path):
    config = gfpo_config(tmp_path, num_remains_in_group=4)
    assert (config.num_generations, config.generation_batch_size) == (8, 4)
    assert message(
        lambda: (
            gfpo_config(tmp_path, num_remains_in_group=3, per_device_train_batch_size=3, steps_per_generation=1)
            and gfpo_config(tmp_path, num_remains_in_group=3)
        )
    ).startswith("generation_batch_size (4) must be divisible by num_generations (3)")


def test_rows_that_do_not_split_are_refused_by_the_parent_or_by_us(tmp_path):
    # 8 generated, 3 of 4 kept a group: 2 x 4 micro-steps = 8 rows are no multiple of 3, so none can get lost.
    with pytest.raises(ValueError, match=r"divisible|multiple"):
        gfpo_config(
            tmp_path,
            num_generations=4,
            num_remains_in_group=3,
            per_device_train_batch_size=2,
            gradient_accumulation_steps=4,
        )


def test_the_group_divisor_needs_a_loss_that_divides_by_tokens(tmp_path):
    assert message(lambda: gfpo_config(tmp_path, num_remains_in_group=4, divisor="group", loss_type="grpo")) == (
        "divisor='group' has no effect on loss_type='grpo', which does not divide by the tokens of the batch: use one "
        "of dapo, cispo, or divisor='kept'"
    )


def test_closed_sets_are_closed(tmp_path):
    assert (
        message(lambda: gfpo_config(tmp_path, divisor="keep"))
        == "divisor='keep' is not known: write one of kept, group"
    )
    assert message(lambda: gfpo_config(tmp_path, rollout="fast")) == (
        "rollout='fast' is not known: write one of auto, race, generate"
    )


def test_gmpo_has_the_papers_clip_range(tmp_path):
    config = GMPOConfig(output_dir=str(tmp_path), epsilon=0.4, beta=0.0, use_cpu=True, bf16=False)
    assert (config.epsilon, config.epsilon_high, config.loss_type) == (0.4, None, "grpo")
    assert message(lambda: GMPOConfig(output_dir=str(tmp_path), epsilon=-0.4, use_cpu=True, bf16=False)) == (
        "epsilon=-0.4 must be above 0: it is a distance in log space, 0.4 in the paper"
    )


def test_a_filter_and_k_go_together(gfpo):
    assert message(lambda: gfpo(group_filter_func=None)) == (
        "num_remains_in_group=2 needs a filter: pass group_filter_func, or leave num_remains_in_group out to train on "
        "every completion"
    )
    assert message(lambda: gfpo(num_remains_in_group=None, group_filter_func=length_filter)) == (
        "filter 'length_filter' has nothing to do: set num_remains_in_group (k), how many of the 4 completions of a "
        "group are kept"
    )


def test_evaluation_groups_are_checked_when_the_config_is_made(tmp_path):
    # T03: evaluation samples num_generations_eval, or G, not k.
    assert message(
        lambda: gfpo_config(tmp_path, num_remains_in_group=4, eval_strategy="steps", per_device_eval_batch_size=4)
    ).startswith(
        "The global eval batch size (4 * 1) must be divisible by the number of generations used for evaluation (8)"
    )
    config = gfpo_config(
        tmp_path, num_remains_in_group=4, eval_strategy="steps", per_device_eval_batch_size=3, num_generations_eval=1
    )
    assert config.num_generations_eval == 1


def test_the_snippet_of_the_readme_is_a_config_on_any_machine(tmp_path):
    config = GFPOConfig(str(tmp_path), num_generations=16, num_remains_in_group=4, per_device_train_batch_size=8)
    assert config.bf16 is torch.accelerator.is_available()
