"""The places where gpo hooks into TRL. When TRL moves one, this says which."""

import inspect

import pytest
import trl
from trl import GRPOTrainer


def parameters(function):
    return [name for name in inspect.signature(function).parameters if name != "self"]


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("_generate", ["prompts"]),
        ("_generate_single_turn", ["prompt_ids", "images", "multimodal_fields", "num_generations"]),
        ("_calculate_rewards", ["inputs", "prompts", "completions", "completion_ids_list"]),
        ("_generate_and_score_completions", ["inputs"]),
        ("_compute_loss", ["model", "inputs"]),
        ("_prepare_inputs", ["generation_batch"]),
        ("training_step", ["model", "inputs", "num_items_in_batch"]),
        ("train", ["resume_from_checkpoint"]),
        ("_evaluate", ["trial", "ignore_keys_for_eval", "skip_scheduler"]),
        ("_finalize_training", ["trial", "num_train_samples", "start_time"]),
        ("_save_checkpoint", ["model", "trial"]),
        ("_load_optimizer_and_scheduler", ["checkpoint"]),
        ("_get_train_sampler", ["dataset"]),
    ],
)
def test_method_takes(method, expected):
    found = parameters(getattr(GRPOTrainer, method))
    assert found[: len(expected)] == expected, f"trl {trl.__version__} changed GRPOTrainer.{method}"


def test_open_figures_are_where_the_state_of_a_run_finds_them(gfpo):
    trainer = gfpo(max_steps=1)
    trainer.train()
    assert trainer._globalstep_last_logged == 1
    assert (type(trainer._total_loss_scalar), trainer._tr_loss.shape) == (float, ())
    assert trainer._metrics["train"] == {}


def test_generate_returns_eight_lists(gfpo):
    trainer = gfpo(rollout="generate", num_remains_in_group=None, group_filter_func=None)
    trainer.model.eval()  # evaluation hands on what TRL makes
    out = trainer._generate(["say 1"] * 4)
    assert len(out) == 8
    prompt_ids, completion_ids, tool_mask, completions, logprobs, extra_fields, images, tool_images = out
    assert len(prompt_ids) == len(completion_ids) == len(completions) == 4
    assert (tool_mask, logprobs, extra_fields, images, tool_images) == (None, None, {}, None, [])
