"""Packages, devices and the hub, which a machine may lack."""

import pytest

from gpocli.checks import optional
from gpocli.checks.optional import check_optional, lacks_cuda


@pytest.fixture
def lines(found_by, monkeypatch):
    """The faults of a spec text on a machine that has some modules alone, and a CUDA device or none."""

    def told(text, *modules, has_cuda=True):
        monkeypatch.setattr(optional, "find_spec", lambda name: object() if name in modules else None)
        monkeypatch.setattr(optional, "lacks_cuda", lambda: not has_cuda)
        return [line.split(": ", 1)[1] for line in found_by(check_optional, f"{text}\n")]

    return told


@pytest.mark.parametrize(
    ("text", "module", "fault"),
    [
        ("trl: {use_liger_kernel: true}", "liger_kernel", "trl.use_liger_kernel: needs liger-kernel, which is not "
         "installed; pip install liger-kernel, or remove it"),
        ("trl: {deepspeed: ds.json}", "deepspeed", "trl.deepspeed: needs deepspeed, which is not installed; pip "
         "install 'gpocli[deepspeed]', or remove it"),
        ("optim: {optimizer: lion_8bit}", "bitsandbytes", "optim.optimizer: needs bitsandbytes, which is not "
         "installed; pip install 'gpocli[quantization]', or remove it"),
        ("optim: {optimizer: stable_adamw}", "optimi", "optim.optimizer: needs torch-optimi, which is not installed; "
         "pip install torch-optimi, or remove it"),
        ("trl: {torch_compile_backend: tvm}", "tvm", "trl.torch_compile_backend: needs apache-tvm, which is not "
         "installed; pip install apache-tvm, or remove it"),
        ("model: {attention: flash_attention_2}", "flash_attn", "model.attention: flash_attention_2 needs flash-attn, "
         "which is not installed; pip install it, or write sdpa"),
        ("model: {attention: kernels-community/flash-attn2}", "kernels", "model.attention: "
         "'kernels-community/flash-attn2' is a kernel of the hub, which needs kernels; pip install kernels, or write "
         "sdpa"),
    ],
)  # fmt: skip
def test_a_missing_package_is_told_and_one_that_is_there_is_not(lines, text, module, fault):
    assert lines(text) == [fault]
    assert lines(text, module) == []


def test_a_kernel_of_the_hub_stands_in_for_flash_attention(lines):
    assert lines("model: {attention: flash_attention_2}", "kernels") == []


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("trl: {tf32: true}", "trl.tf32"),
        ("trl: {fp16: true}", "trl.fp16"),
        ("model: {dtype: float16}", "model.dtype"),
        ("trl: {ddp_backend: nccl}", "trl.ddp_backend"),
    ],
)
def test_what_needs_a_cuda_device_is_told_where_there_is_none(lines, text, path):
    (line,) = lines(text, has_cuda=False)
    assert line.startswith(f"{path}: ")
    assert lines(text) == []


def test_this_machine_lacks_a_device_exactly_where_torch_finds_none():
    import torch

    assert not (lacks_cuda() and torch.cuda.is_available())
    if torch.version.cuda is None and torch.version.hip is None:
        assert lacks_cuda()


def test_a_hidden_device_is_none(monkeypatch):
    monkeypatch.setattr(optional, "version", lambda package: "2.13.0+cu130")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    assert lacks_cuda()


def test_a_push_needs_the_hub_and_a_login(lines, monkeypatch, tmp_path):
    text = "trl: {push_to_hub: true}"
    assert lines(text) == ["trl.push_to_hub: needs the hub, and HF_HUB_OFFLINE is set; take that away, or remove it"]
    monkeypatch.delenv("HF_HUB_OFFLINE")
    for name in ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "HF_TOKEN_PATH"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    assert lines(text) == ["trl.push_to_hub: needs a login; run hf auth login, or set HF_TOKEN"]
    (tmp_path / "token").write_text("x")
    assert lines(text) == []
