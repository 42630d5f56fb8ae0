"""With k = G and the parent's generation, GFPO is TRL's GRPO step for step."""

import pytest
import torch
from trl import GRPOConfig, GRPOTrainer

from gpocli import GFPOConfig, GFPOTrainer
from tests.trainers.conftest import count_a, length_filter


EXACT = {"model_init_kwargs": {"dtype": "float64"}}
"""AdamW divides a gradient near 0 by a deviation near 0, so that in float32 a sum in another order moves a weight by a
visible share of the learning rate. In float64 the same noise is below every bound here."""


def history(trainer, key):
    return [entry[key] for entry in trainer.state.log_history if key in entry]


def weights(trainer):
    return torch.cat([parameter.detach().flatten() for parameter in trainer.model.parameters()])


@pytest.mark.parametrize("options", [{}, {"beta": 0.1, "loss_type": "grpo"}, {"steps_per_generation": 4}])
def test_k_equal_to_g_is_grpo_step_for_step(make_trainer, options):
    grpo = make_trainer(GRPOTrainer, GRPOConfig, **EXACT, **options)
    grpo.train()
    gfpo = make_trainer(
        GFPOTrainer,
        GFPOConfig,
        group_filter_func=length_filter,
        num_remains_in_group=4,
        rollout="generate",
        **EXACT,
        **options,
    )
    start = weights(gfpo).clone()
    gfpo.train()

    assert history(gfpo, "loss") == pytest.approx(history(grpo, "loss"), abs=1e-6)
    assert history(gfpo, "reward") == pytest.approx(history(grpo, "reward"), abs=1e-6)
    assert history(gfpo, "grad_norm") == pytest.approx(history(grpo, "grad_norm"), rel=1e-5)
    print("DIFF", (weights(gfpo) - weights(grpo)).abs().max(), weights(gfpo).dtype)
    assert (weights(gfpo) - weights(grpo)).abs().max() < 1e-8
    assert (weights(gfpo) - start).abs().max() > 1e-3


def test_no_filter_is_grpo_as_well(make_trainer):
    grpo = make_trainer(GRPOTrainer, GRPOConfig, rewards=[count_a], **EXACT)
    grpo.train()
    plain = make_trainer(GFPOTrainer, GFPOConfig, rewards=[count_a], rollout="generate", **EXACT)
    plain.train()
    assert (weights(plain) - weights(grpo)).abs().max() < 1e-8
