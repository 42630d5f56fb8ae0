"""The trainer's server: found at the start, kept in step, waited for when it is lost."""

import pytest

from gpocli.errors import EnvironmentFault
from tests.serving.stand_in import PUSH


def pushes(stand_in):
    return stand_in.asked.count("/finish_weight_update")


def test_no_server_at_the_start(served):
    with pytest.raises(EnvironmentFault) as fault:
        served(vllm_server_base_url="http://127.0.0.1:9")
    assert str(fault.value) == (
        "no vLLM server answers at http://127.0.0.1:9; waited 0 s for it; start one with 'gpo serve', or name another "
        "one in sampling.vllm.url"
    )


def test_a_server_that_cannot_serve_the_run(served, stand_in):
    stand_in.models = [{"id": "other", "root": "/other"}]
    with pytest.raises(EnvironmentFault, match="serves 'other', and the run trains"):
        served()


def test_each_step_pushes_once(served, stand_in):
    trainer = served(max_steps=2)
    trainer.train()
    assert pushes(stand_in) == 2
    assert trainer.vllm_generation.served.version == stand_in.version


def test_a_server_that_was_restarted_between_two_batches_is_given_the_weights_again(served, stand_in):
    trainer = served(max_steps=2, num_iterations=1)
    trainer.train()
    stand_in.restart()
    trainer.vllm_generation.keep_in_step()
    assert pushes(stand_in) == 3
    trainer.vllm_generation.keep_in_step()
    assert pushes(stand_in) == 3


def test_a_push_that_loses_the_server_is_made_again(served, stand_in, monkeypatch):
    trainer = served()
    client = trainer.vllm_generation.vllm_client
    push, lost = client._push, []

    def push_once_into_nothing(*args):
        if not lost:
            lost.append(True)
            client.control.url = client.base_url
            monkeypatch.setattr(stand_in, "is_lost", True)
            trainer.vllm_generation._wait = lambda *args: stand_in.restart()
        push(*args)

    monkeypatch.setattr(client, "_push", push_once_into_nothing)
    trainer.train()
    assert trainer.notes == [f"the vLLM server at {stand_in.url} is back: it is given the weights again"]
    assert stand_in.asked[-len(PUSH) - 1 :].count("/finish_weight_update") <= 1
    assert pushes(stand_in) == 1


def test_only_a_server_takes_this_way(gfpo):
    assert not hasattr(gfpo(), "vllm_generation")
