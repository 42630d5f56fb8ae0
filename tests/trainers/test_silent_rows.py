"""Rows without an advantage are in no pass, and the step is the one that TRL makes with them."""

import pytest
import torch
from trl import GRPOConfig, GRPOTrainer

from gpocli import GFPOConfig, GFPOTrainer, GMPOConfig, GMPOTrainer
from gpocli.trainers import silent_rows, trainer
from tests.trainers.closeness import SAME, gap
from tests.trainers.step_reference import LOSS_TYPES

STEP = {
    "per_device_train_batch_size": 4,
    "gradient_accumulation_steps": 2,
    "steps_per_generation": 4,
    "max_grad_norm": 0.0,
    "optim": "sgd",
    "learning_rate": 0.1,
    "max_steps": 2,
    "beta": 0.0,
}


def flat_but_for_odd_numbers(completions, number, **kwargs):
    return [float(len(set(text))) * (n % 2) for text, n in zip(completions, number, strict=True)]


def always_flat(completions, **kwargs):
    return [1.0] * len(completions)


def flat_weights(trainer):
    return torch.cat([parameter.detach().flatten() for parameter in trainer.model.parameters()])


def watched(trainer):
    """The rows of each pass with a gradient, as they come."""
    rows, forward = [], trainer.model.forward

    def watching(*args, **kwargs):
        if torch.is_grad_enabled():
            rows.append(len(kwargs["input_ids"]))
        return forward(*args, **kwargs)

    trainer.model.forward = watching
    return rows


def with_silent_rows(monkeypatch):
    monkeypatch.setattr(silent_rows, "may_leave", lambda *_: False)
    monkeypatch.setattr(trainer, "may_leave", lambda *_: False)


@pytest.mark.parametrize("loss_type", LOSS_TYPES)
def test_the_step_is_that_of_trl(make_trainer, loss_type):
    options = STEP | {"loss_type": loss_type}
    if loss_type == "luspo":
        options["importance_sampling_level"] = "sequence"
    theirs = make_trainer(GRPOTrainer, GRPOConfig, rewards=flat_but_for_odd_numbers, **options)
    start = flat_weights(theirs).clone()
    theirs.train()
    assert (flat_weights(theirs) - start).abs().max() > 1e-4
    for flat_groups in ("train", "skip"):
        options |= {"rollout": "generate", "flat_groups": flat_groups}
        ours = make_trainer(GFPOTrainer, GFPOConfig, rewards=flat_but_for_odd_numbers, **options)
        rows = watched(ours)
        ours.train()
        assert gap(flat_weights(ours), flat_weights(theirs), start) < SAME
        assert 0 < sum(rows) < 16


class WithoutFlatRows(GRPOTrainer):
    """TRL's trainer with rows of advantage 0 masked, after the tokens of a generation batch are counted."""

    def _generate_and_score_completions(self, inputs):
        output = super()._generate_and_score_completions(inputs)
        output["completion_mask"] = output["completion_mask"] * (output["advantages"] != 0).unsqueeze(1)
        return output


@pytest.mark.parametrize("loss_type", ["grpo", "dapo"])
def test_skipped_rows_are_in_no_kl_term_and_count_in_the_divisor(make_trainer, loss_type):
    options = STEP | {"loss_type": loss_type, "beta": 0.5, "num_iterations": 2}
    theirs = make_trainer(WithoutFlatRows, GRPOConfig, rewards=flat_but_for_odd_numbers, **options)
    start = flat_weights(theirs).clone()
    theirs.train()
    ours = make_trainer(
        GFPOTrainer,
        GFPOConfig,
        rewards=flat_but_for_odd_numbers,
        rollout="generate",
        flat_groups="skip",
        **options,
    )
    rows = watched(ours)
    ours.train()

    assert gap(flat_weights(ours), flat_weights(theirs), start) < SAME
    assert 0 < sum(rows) < 16


@pytest.mark.parametrize("accumulation", [1, 4])
def test_the_step_of_gmpo_is_the_one_with_them(make_trainer, monkeypatch, accumulation):
    options = STEP | {
        "per_device_train_batch_size": 8 // accumulation,
        "gradient_accumulation_steps": accumulation,
        "steps_per_generation": 2 * accumulation,
    }
    ours = make_trainer(GMPOTrainer, GMPOConfig, rewards=flat_but_for_odd_numbers, **options)
    start, rows = flat_weights(ours).clone(), watched(ours)
    ours.train()
    with_silent_rows(monkeypatch)
    whole = make_trainer(GMPOTrainer, GMPOConfig, rewards=flat_but_for_odd_numbers, **options)
    all_rows = watched(whole)
    whole.train()

    assert gap(flat_weights(ours), flat_weights(whole), start) < SAME
    assert sum(rows) < sum(all_rows) == 16


def test_a_micro_batch_of_them_alone_passes_one_row_of_one_token(make_trainer):
    trainer = make_trainer(GFPOTrainer, GFPOConfig, rewards=always_flat, **STEP)
    start, rows = flat_weights(trainer).clone(), watched(trainer)
    trainer.train()

    assert rows == [1, 1, 1, 1]
    assert torch.equal(flat_weights(trainer), start)
    figures = [line for line in trainer.state.log_history if "loss" in line]
    assert [line["loss"] for line in figures] == [0.0, 0.0]
    assert [line["entropy"] for line in figures] == [None, None]  # of no token


def test_micro_batches_are_filled_with_the_others_first(make_trainer):
    trainer = make_trainer(GFPOTrainer, GFPOConfig, rewards=flat_but_for_odd_numbers, **STEP)
    rows = watched(trainer)
    trainer.train()

    assert sum(rows) < 16
    for first, second in (rows[:2], rows[2:]):
        assert first == 4 or second == 1


@pytest.mark.parametrize(
    "options",
    [{"beta": 0.1}, {"entropy_coef": 0.01}, {"top_entropy_quantile": 0.5}],
    ids=lambda options: next(iter(options)),
)
def test_they_stay_where_they_add_something(make_trainer, options):
    trainer = make_trainer(GFPOTrainer, GFPOConfig, rewards=flat_but_for_odd_numbers, **(STEP | options))
    rows = watched(trainer)
    trainer.train()

    assert sum(rows) >= 16
    assert set(rows) == {4}


def test_the_share_of_each_mean_by_hand():
    tokens_B, heard_B = torch.tensor([2, 2, 1, 1]), torch.tensor([True, True, True, False])
    assert silent_rows._share("grpo", tokens_B, heard_B, 3) == 0.75
    assert silent_rows._share("bnpo", tokens_B, heard_B, 3) == pytest.approx(5 / 6)
    assert silent_rows._share("bnpo", tokens_B, heard_B, 4) == pytest.approx(5 / 6)  # one of them fills up
    assert silent_rows._share("dapo", tokens_B, heard_B, 3) == 1.0
