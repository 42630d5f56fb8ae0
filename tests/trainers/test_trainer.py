"""The places where gpo hooks into TRL. When TRL moves one, this says which."""

import inspect
import shutil
from types import SimpleNamespace

import pytest
import torch
import trl
from trl import GRPOTrainer

from tests.trainers.closeness import SAME, gap


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
    trainer._round = SimpleNamespace(race=lambda: None)
    out = GRPOTrainer._generate(trainer, ["say 1"] * 4)
    assert len(out) == 8
    prompt_ids, completion_ids, tool_mask, completions, logprobs, extra_fields, images, tool_images = out
    assert len(prompt_ids) == len(completion_ids) == len(completions) == 4
    assert (tool_mask, logprobs, extra_fields, images, tool_images) == (None, None, {}, None, [])


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("g++") is None, reason="inductor needs a compiler on a CPU")
@pytest.mark.filterwarnings("default:The .grad attribute of a Tensor:UserWarning")  # dynamo looks at every tensor
@pytest.mark.parametrize("algorithm", ["gfpo", "gmpo"])
def test_a_compiled_model_trains_as_a_plain_one(request, algorithm):
    def letters(completions, **kwargs):
        return [float(sum(c.isalpha() for c in completion)) for completion in completions]

    def trained(**options):
        fixed = {"beta": 0.1, "optim": "sgd", "gradient_accumulation_steps": 1, "steps_per_generation": 2}
        trainer = request.getfixturevalue(algorithm)(rewards=letters, **fixed, **options)
        start = weights(trainer)
        trainer.train()
        return [entry["loss"] for entry in trainer.state.log_history if "loss" in entry], weights(trainer), start

    def weights(trainer):
        return torch.cat([parameter.detach().flatten() for parameter in trainer.model.parameters()])

    plain, compiled = trained(), trained(torch_compile=True)
    assert compiled[0] == pytest.approx(plain[0], rel=SAME, abs=1e-5)
    assert gap(compiled[1], plain[1], plain[2]) < SAME
