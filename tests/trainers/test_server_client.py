"""A push of weights: its order, what it refuses, and what it leaves behind."""

import pytest
import torch

from gpocli.errors import EnvironmentFault
from gpocli.serving.client import Control
from gpocli.serving.facts import Wanted
from gpocli.trainers.server_client import FolderClient, ServerClient
from tests.serving.stand_in import PUSH


@pytest.fixture
def client(stand_in, tiny_model, tmp_path):
    wanted = Wanted(model=tiny_model, model_places=(), sync="plugin", tokens=9)
    made = FolderClient(Control(stand_in.url), wanted, group_port=0, folder=str(tmp_path / "weights"))
    made.init_communicator()
    stand_in.asked.clear()
    yield made
    made.close_communicator()


def weights(stand_in, scale=2.0):
    return [(name, tensor * scale) for name, tensor in stand_in.model.named_parameters()]


def test_a_push_has_one_order_and_leaves_no_file(client, stand_in, tmp_path):
    new = weights(stand_in)
    client.update_named_params([], iter(new))
    client.reset_prefix_cache()
    assert stand_in.asked == PUSH
    assert ("/pause", {"mode": ["wait"]}) in stand_in.bodies or stand_in.bodies[0][0] == "/init_weight_transfer_engine"
    for name, tensor in stand_in.model.named_parameters():
        assert torch.equal(tensor, dict(new)[name])
    assert client.is_in_step()
    assert not list((tmp_path / "weights").glob("*/*"))


def test_each_push_has_a_version_that_no_other_run_has(client, stand_in):
    seen = set()
    for _ in range(2):
        client.update_named_params([], iter(weights(stand_in)))
        seen.add(stand_in.version)
    assert len(seen) == 2
    assert {version.split("-")[0] for version in seen} == {client.version.split("-")[0]}
    assert len(client.version) > 8


def test_what_the_server_refuses_is_told_once_and_generation_goes_on(client, stand_in):
    stand_in.answers["/update_weights"] = 500, {"error": {"message": "these are no weights for the model"}}
    left = iter(weights(stand_in))
    with pytest.raises(EnvironmentFault, match="these are no weights for the model"):
        client.update_named_params([], left)
    assert stand_in.asked == ["/pause", "/start_weight_update", "/update_weights", "/resume"]
    assert not stand_in.is_paused
    assert client.version == ""
    assert list(left) == []  # the other processes gather to the end


def test_an_update_that_a_killed_run_left_is_ended(client, stand_in):
    stand_in.answers["/start_weight_update"] = 500, "start_weight_update called while one is already active"
    with pytest.raises(EnvironmentFault, match="already active"):
        client.update_named_params([], iter(weights(stand_in)))
    assert ("/update_weights", {"update_info": {"files": []}}) in stand_in.bodies
    assert stand_in.asked.count("/start_weight_update") == 2


def test_a_server_that_a_killed_run_left_waiting_goes_on(client, stand_in):
    stand_in.is_paused = True
    client.check()
    assert not stand_in.is_paused


def test_a_prefix_cache_that_was_not_emptied_is_a_fault(client, stand_in):
    stand_in.answers["/reset_prefix_cache"] = 200, {"success": False}
    with pytest.raises(EnvironmentFault, match="holds keys of the old weights: others use it at the same time"):
        client.reset_prefix_cache()


def test_a_folder_that_the_server_does_not_see(client, stand_in):
    stand_in.answers["/init_weight_transfer_engine"] = 500, {"error": {"message": "[Errno 2] No such file: '/x'"}}
    with pytest.raises(EnvironmentFault, match=r"does not see '.*'; name a folder that both see in sampling.vllm.fold"):
        client.init_communicator()


def test_weights_are_written_in_parts_that_fit_into_memory(client, stand_in, monkeypatch):
    monkeypatch.setattr("gpocli.trainers.server_client._BYTES_OF_A_FILE", 1)
    new = weights(stand_in, scale=3.0)
    client.update_named_params([], iter(new))
    (files,) = [body["update_info"]["files"] for path, body in stand_in.bodies if path == "/update_weights"]
    assert len(files) == len(new)
    assert torch.equal(next(stand_in.model.parameters()), new[0][1])


def test_nccl_says_what_it_needs(stand_in, tiny_model):
    wanted = Wanted(model=tiny_model, model_places=(), sync="nccl", tokens=9)
    with pytest.raises(EnvironmentFault, match=r"sampling\.vllm\.sync: nccl needs"):
        ServerClient(Control(stand_in.url), wanted, group_port=0).init_communicator("cpu")
