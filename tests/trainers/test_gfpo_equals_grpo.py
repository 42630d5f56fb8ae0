"""With k = G and the parent's generation, GFPO is TRL's GRPO step for step."""

import pytest
import torch
from trl import GRPOConfig, GRPOTrainer

from gpocli import GFPOConfig, GFPOTrainer
from tests.trainers.conftest import count_a, length_filter


def history(trainer, key):
    return [entry[key] for entry in trainer.state.log_history if key in entry]


def weights(trainer):
    return torch.cat([parameter.detach().flatten() for parameter in trainer.model.parameters()])


@pytest.mark.parametrize("options", [{}, {"beta": 0.1, "loss_type": "grpo"}, {"steps_per_generation": 4}])
def test_k_equal_to_g_is_grpo_step_for_step(make_trainer, options):
    grpo = make_trainer(GRPOTrainer, GRPOConfig, **options)
    grpo.train()
    gfpo = make_trainer(
        GFPOTrainer,
        GFPOConfig,
        group_filter_func=length_filter,
        num_remains_in_group=4,
        rollout="generate",
        **options,
    )
    start = weights(gfpo).clone()
    gfpo.train()

    assert history(gfpo, "loss") == pytest.approx(history(grpo, "loss"), abs=1e-6)
    assert history(gfpo, "reward") == pytest.approx(history(grpo, "reward"), abs=1e-6)
    assert history(gfpo, "grad_norm") == pytest.approx(history(grpo, "grad_norm"), rel=1e-5)
    assert (weights(gfpo) - weights(grpo)).abs().max() < 1e-6
    assert (weights(gfpo) - start).abs().max() > 1e-3


def test_no_filter_is_grpo_as_well(make_trainer):
    grpo = make_trainer(GRPOTrainer, GRPOConfig, rewards=[count_a])
    grpo.train()
    plain = make_trainer(GFPOTrainer, GFPOConfig, rewards=[count_a], rollout="generate")
    plain.train()
    assert (weights(plain) - weights(grpo)).abs().max() < 1e-6
