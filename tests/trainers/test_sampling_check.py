"""The policy that samples is compared with the one that is trained."""

import pytest
import torch

from gpocli.errors import GuardError
from gpocli.rollout import Rollout, sample_groups
from gpocli.trainers.engines import loop

MEAN, MAX = "sampling/logp_difference/mean", "sampling/logp_difference/max"


def differences(trainer):
    trainer.train()
    return [(entry[MEAN], entry[MAX]) for entry in trainer.state.log_history if MEAN in entry]


@pytest.mark.parametrize("temperature", [1.0, 0.7])
def test_they_agree_on_the_same_tokens_in_the_first_batch(gfpo, temperature):
    ((mean, largest),) = differences(gfpo(temperature=temperature))
    # float32 passes of other widths: roundings of logits of size 10
    assert 0 <= mean <= largest < 1e-4


def test_every_so_often_it_is_checked_again(gfpo, monkeypatch):
    monkeypatch.setattr("gpocli.trainers.sampling_check.EVERY", 2)
    assert len(differences(gfpo(max_steps=4))) == 2


def test_stale_weights_stop_the_run_and_both_figures_are_named(gfpo, monkeypatch):
    stale = {}

    def sample(trainer, request, parent):
        model = trainer.accelerator.unwrap_model(trainer.model)
        now = {name: tensor.clone() for name, tensor in model.state_dict().items()}
        model.load_state_dict({name: tensor * 1.5 for name, tensor in now.items()})
        rollout = sample_groups(model, request)
        model.load_state_dict(now)
        stale["logps"] = rollout.logps
        return rollout

    monkeypatch.setattr(loop, "sample", sample)
    with pytest.raises(GuardError) as error:
        gfpo().train()
    assert str(error.value).startswith(
        "the policy that samples is not the one that is trained: log-probabilities of the same tokens differ by "
    )
    assert "where 0.01 is the bound for float32; use sampling.engine: generate" in str(error.value)
    assert error.value.exit_code == 4
    assert stale["logps"]


def test_a_difference_that_is_no_number_stops_the_run_too(gfpo, monkeypatch):
    def sample(trainer, request, parent):
        found = sample_groups(trainer.accelerator.unwrap_model(trainer.model), request)
        broken = [[float("nan")] * len(ids) for ids in found.completion_ids]
        return Rollout(found.completion_ids, found.finished, found.lost, broken, found.scores)

    monkeypatch.setattr(loop, "sample", sample)
    with pytest.raises(GuardError, match="differ by nan on average"):
        gfpo().train()


@pytest.mark.parametrize("options", [{"top_k": 5}, {"top_p": 0.9}, {"min_p": 0.1}, {"repetition_penalty": 1.1}])
def test_where_a_setting_changes_the_probabilities_nothing_is_compared(gfpo, options):
    assert differences(gfpo(max_steps=1, **options)) == []


def test_trls_own_path_tells_no_log_probabilities(gfpo):
    assert differences(gfpo(max_steps=1, rollout="generate")) == []


def test_training_is_the_same_with_and_without(gfpo, monkeypatch):
    def weights(trainer):
        trainer.train()
        return torch.cat([parameter.detach().flatten() for parameter in trainer.model.parameters()])

    with_check = weights(gfpo())
    monkeypatch.setattr("gpocli.trainers.trainer.SamplingCheck.check", lambda *args: None)
    assert torch.equal(with_check, weights(gfpo()))
