"""With k = G and the parent's generation, GFPO is TRL's GRPO step for step."""

import pytest
import torch
from trl import GRPOConfig, GRPOTrainer

from gpocli import GFPOConfig, GFPOTrainer
from tests.trainers.closeness import SAME, gap
from tests.trainers.conftest import count_a, length_filter

LINEAR = {"optim": "sgd", "learning_rate": 1.0}


def history(trainer, key):
    return [entry[key] for entry in trainer.state.log_history if key in entry]


def weights(trainer):
    return torch.cat([parameter.detach().flatten() for parameter in trainer.model.parameters()])


@pytest.mark.parametrize("options", [{}, {"beta": 0.1, "loss_type": "grpo"}, {"steps_per_generation": 4}])
def test_k_equal_to_g_is_grpo_step_for_step(make_trainer, options):
    grpo = make_trainer(GRPOTrainer, GRPOConfig, **LINEAR, **options)
    start = weights(grpo).clone()
    grpo.train()
    gfpo = make_trainer(
        GFPOTrainer,
        GFPOConfig,
        group_filter_func=length_filter,
        num_remains_in_group=4,
        rollout="generate",
        **LINEAR,
        **options,
    )
    gfpo.train()

    for key in ("loss", "reward", "grad_norm"):
        assert history(gfpo, key) == pytest.approx(history(grpo, key), rel=SAME, abs=1e-5), key
    assert (weights(grpo) - start).abs().max() > 1e-3
    assert gap(weights(gfpo), weights(grpo), start) < SAME


def test_no_filter_is_grpo_as_well(make_trainer):
    grpo = make_trainer(GRPOTrainer, GRPOConfig, rewards=[count_a], **LINEAR)
    start = weights(grpo).clone()
    grpo.train()
    plain = make_trainer(GFPOTrainer, GFPOConfig, rewards=[count_a], rollout="generate", **LINEAR)
    plain.train()
    assert gap(weights(plain), weights(grpo), start) < SAME
