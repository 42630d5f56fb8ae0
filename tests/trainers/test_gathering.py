"""Whole weights of a policy that is spread over processes; `tests/cli/test_zero.py` has ZeRO-3 in real runs."""

import socket
from types import SimpleNamespace

import pytest
import torch
import torch.multiprocessing
from transformers import AutoModelForCausalLM

from gpocli.rollout import SamplingRequest, SamplingSettings, sample_groups
from gpocli.trainers.gathering import gathered, spread_by, why_not_gathered


def trainer(*, stage=None, fsdp=None, gather=True, model=None):
    """As much of a trainer as is asked."""
    state = SimpleNamespace(
        deepspeed_plugin=SimpleNamespace(zero_stage=stage), fsdp_plugin=SimpleNamespace(reshard_after_forward=True)
    )
    accelerator = SimpleNamespace(state=state, is_fsdp2=fsdp == 2, unwrap_model=lambda model, **_: model)
    return SimpleNamespace(
        accelerator=accelerator,
        is_deepspeed_enabled=stage is not None,
        is_fsdp_enabled=fsdp is not None,
        args=SimpleNamespace(ds3_gather_for_generation=gather),
        model_wrapped=model,
    )


SPREAD = {
    "nothing": ({}, None, None),
    "ZeRO-2": ({"stage": 2}, None, None),
    "ZeRO-3": ({"stage": 3}, "ZeRO-3", None),
    "ZeRO-3 in layers": (
        {"stage": 3, "gather": False},
        "ZeRO-3",
        "ZeRO-3 spreads the weights, and they are not to be gathered (sampling.gather)",
    ),
    "FSDP2": ({"fsdp": 2}, "FSDP2", None),
    "FSDP1": ({"fsdp": 1}, "FSDP1", "FSDP1 spreads the weights; FSDP2 can gather them (fsdp_version: 2)"),
}


@pytest.mark.parametrize(("given", "kind", "reason"), SPREAD.values(), ids=SPREAD)
def test_what_spreads_the_weights_and_whether_they_can_be_gathered(given, kind, reason):
    assert (spread_by(trainer(**given)), why_not_gathered(trainer(**given))) == (kind, reason)


REQUEST = SamplingRequest(
    prompts_P=[[5, 6, 7], [8, 9]], group_size=4, seed=3, first_row=0,
    settings=SamplingSettings(max_new_tokens=12, eos_token_ids=(1,), pad_token_id=0),
)  # fmt: skip


def samples_and_steps(rank, port, folder, out):
    """In one of two processes: sample from gathered weights, as often as the rank says, then take a step."""
    from torch.distributed.fsdp import fully_shard

    torch.distributed.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=2)
    model = AutoModelForCausalLM.from_pretrained(folder)
    mesh = torch.distributed.init_device_mesh("cpu", (2,))
    for layer in model.model.layers:
        fully_shard(layer, mesh=mesh, reshard_after_forward=True)
    fully_shard(model, mesh=mesh, reshard_after_forward=True)
    with gathered(trainer(fsdp=2, model=model)) as whole:
        for _ in range(rank):  # a process that waits for the other inside would hang here
            whole(torch.tensor([[5, 6]]))
        ids = sample_groups(whole, REQUEST).completion_ids
    shares = [parameter.to_local().numel() for parameter in model.parameters()]
    model.train()
    loss = model(torch.tensor([[5, 6, 7]]), labels=torch.tensor([[5, 6, 7]])).loss
    loss.backward()
    gradient = model.model.embed_tokens.weight.grad.full_tensor()
    torch.save({"ids": ids, "shares": shares, "loss": loss.detach(), "gradient": gradient}, f"{out}/{rank}.pt")
    torch.distributed.destroy_process_group()


@pytest.mark.slow
def test_fsdp2_samples_from_whole_weights_as_a_whole_model_does(tiny_model, tmp_path):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    torch.multiprocessing.spawn(samples_and_steps, (port, str(tiny_model), str(tmp_path)), nprocs=2)
    both = [torch.load(tmp_path / f"{rank}.pt") for rank in range(2)]
    model = AutoModelForCausalLM.from_pretrained(tiny_model)
    expected = sample_groups(model, REQUEST).completion_ids
    assert [one["ids"] for one in both] == [expected, expected]
    total = sum(parameter.numel() for parameter in model.parameters())
    assert sum(sum(one["shares"]) for one in both) == total  # spread again, half and half
    loss = model(torch.tensor([[5, 6, 7]]), labels=torch.tensor([[5, 6, 7]])).loss
    loss.backward()
    assert torch.allclose(both[0]["loss"], loss, atol=1e-6)
    assert torch.allclose(both[0]["gradient"], model.model.embed_tokens.weight.grad, atol=1e-6)
