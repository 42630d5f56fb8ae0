"""Whether the server draws with the weights that it was given."""

import pytest

from gpocli.errors import EnvironmentFault, GuardError


def test_every_push_is_compared(served):
    trainer = served(max_steps=2)
    trainer.train()
    differences = [line["sampling/sync_difference"] for line in trainer.state.log_history if "loss" in line]
    assert len(differences) == 2
    assert max(differences) < 1e-5


def test_weights_that_did_not_arrive_stop_the_run(served, stand_in):
    trainer = served(max_steps=2, learning_rate=1.0, rewards=lambda completions, **_: [len(c) for c in completions])
    stand_in.takes_weights = False
    with pytest.raises(GuardError) as stopped:
        trainer.train()
    assert stopped.value.exit_code == 4
    assert f"the vLLM server at {stand_in.url} does not draw with the weights that it was given: after the push" in str(
        stopped.value
    )
    assert "log-probabilities of the same 12 tokens differ by" in str(stopped.value)
    assert "where 0.01 is the bound" in str(stopped.value)


def test_a_server_in_a_coarser_type_has_that_types_bound(served, stand_in):
    stand_in.config["model_config"]["dtype"] = "torch.bfloat16"
    stand_in.spoil = lambda choice: choice["logprobs"].update(
        token_logprobs=[logp - 0.1 for logp in choice["logprobs"]["token_logprobs"]]
    )
    trainer = served()
    trainer.train()
    assert trainer.state.log_history[0]["sampling/sync_difference"] == pytest.approx(0.1, abs=1e-4)


def test_an_answer_without_log_probabilities_is_a_fault(served, stand_in):
    stand_in.spoil = lambda choice: choice.update(logprobs=None)
    with pytest.raises(EnvironmentFault, match="does not tell the tokens that it draws with their log-probabilities"):
        served().train()
