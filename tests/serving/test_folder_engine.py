"""Weights that arrive in a real vLLM server: exact, or not at all."""

import random

import pytest
import torch
from safetensors.torch import save_file

from gpocli.errors import EnvironmentFault
from gpocli.serving.completions import PATH, asked_for
from gpocli.serving.facts import Wanted
from tests.vllm_here import EMBEDDED

pytestmark = pytest.mark.vllm

EXACT = 2e-5
PROMPT, DRAWN = 160, 12  # tokens: more than a block of the prefix cache, 128 on a CPU
FINISHED_WITHOUT = "no weights arrived since the update was started"


class Pushes:
    """A model, its pushes into a server, and how far the two are apart on tokens that the server draws."""

    def __init__(self, server, folder):
        from transformers import AutoModelForCausalLM

        from gpocli.trainers.server_client import FolderClient

        self.control, self.folder = server.control, folder
        self.model = AutoModelForCausalLM.from_pretrained(EMBEDDED, dtype=torch.float32)
        self.first = {name: tensor.detach().clone() for name, tensor in self.model.named_parameters()}
        wanted = Wanted(model="embedded", model_places=(), sync="plugin", tokens=PROMPT + DRAWN)
        self.client = FolderClient(server.control, wanted, group_port=0, folder=str(folder))
        self.client.check()
        self.client.init_communicator()
        self.prompt = random.Random(0).choices(range(10, 300), k=PROMPT)

    @torch.no_grad()
    def change(self, seed):
        torch.manual_seed(seed)
        for name, tensor in self.model.named_parameters():
            scale = self.first[name].std() if tensor.dim() > 1 else 1.0
            tensor.copy_(self.first[name] + torch.randn(tensor.shape) * 0.3 * scale)

    def push(self):
        self.client.update_named_params([], iter(list(self.model.named_parameters())))

    @torch.no_grad()
    def difference(self):
        body = {"model": "embedded", "prompt": self.prompt, "max_tokens": DRAWN, "temperature": 1.0, "seed": 1}
        answer = self.control.post(PATH, asked_for(body | {"ignore_eos": True, "stream": False}))["choices"][0]
        tokens, logps = answer["token_ids"], torch.tensor(answer["logprobs"]["token_logprobs"])
        logits = self.model(torch.tensor([[*self.prompt, *tokens]])).logits[0, PROMPT - 1 : -1]
        own = logits.log_softmax(-1).gather(1, torch.tensor(tokens)[:, None])[:, 0]
        return (own - logps).abs().max().item()


@pytest.fixture(scope="module")
def pushes(real_server, tmp_path_factory):
    made = Pushes(real_server, tmp_path_factory.mktemp("weights"))
    yield made
    made.client.close_communicator()


def test_ten_pushes_arrive_exactly(pushes):
    for number in range(1, 11):
        pushes.change(number)
        before = pushes.difference()
        pushes.push()
        pushes.client.reset_prefix_cache()
        assert before > 0.1
        assert pushes.difference() < EXACT
        assert pushes.client.is_in_step()


def test_the_first_weights_come_back(pushes):
    with torch.no_grad():
        for name, tensor in pushes.model.named_parameters():
            tensor.copy_(pushes.first[name])
    pushes.push()
    assert pushes.difference() < EXACT


@pytest.mark.parametrize(
    ("tensors", "line"),
    [
        ({}, "no tensor arrived"),
        ({"model.norm.weight": torch.ones(3)}, "tensors are missing"),
        ({"model.norm.weight": torch.ones(3), "another": torch.ones(1)}, "tensors are missing"),
    ],
)
def test_weights_of_another_model_are_refused_and_the_old_ones_stay(pushes, tensors, line):
    version = pushes.control.get("/weight_info")
    with pytest.raises(EnvironmentFault, match=line):
        pushes.client.update_named_params([], iter(tensors.items()))
    assert pushes.control.get("/weight_info") == version
    assert pushes.difference() < EXACT
    pushes.push()
    assert pushes.difference() < EXACT


def test_a_wrong_shape_is_refused(pushes):
    wrong = {name: tensor.detach() for name, tensor in pushes.model.named_parameters()} | {
        "model.norm.weight": torch.ones(3)
    }
    with pytest.raises(EnvironmentFault, match=r"model.norm.weight has the shape \(3,\), and \(128,\) in the model"):
        pushes.client.update_named_params([], iter(wrong.items()))
    assert pushes.difference() < EXACT


def test_a_version_is_stamped_on_weights_alone(pushes):
    pushes.control.post("/start_weight_update")
    with pytest.raises(EnvironmentFault, match=FINISHED_WITHOUT):
        pushes.control.post("/finish_weight_update", {"weight_version": "none"})
    assert pushes.client.is_in_step()
    pushes.push()  # although that update is still open
    assert pushes.client.is_in_step()


def test_files_outside_of_the_folder_are_refused(pushes):
    save_file({"model.norm.weight": torch.ones(128)}, pushes.folder / "outside.safetensors")
    pushes.control.post("/start_weight_update")
    with pytest.raises(EnvironmentFault, match="is not in the folder of weights"):
        pushes.control.post("/update_weights", {"update_info": {"files": ["../outside.safetensors"]}})
    assert pushes.difference() < EXACT
