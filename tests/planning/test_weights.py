"""Which tensors are parameters, and which of them adapters are put on."""

import pytest
import torch

from gpocli.planning.architecture import read_architecture
from gpocli.planning.checkpoint import find_architecture
from gpocli.planning.weights import Weight, weights_of
from gpocli.settings.model import ModelSpec
from tests.planning.real_models import GPT2, MOE, build

torch.set_num_threads(1)


# PEFT prepares for experts that are targeted by name, and warns where, as here, none is
@pytest.mark.filterwarnings("ignore:The following rank_pattern keys")
@pytest.mark.filterwarnings("ignore:The following alpha_pattern keys")
@pytest.mark.parametrize(
    ("name", "options", "targets"),
    [
        ("Llama", {}, "all-linear"),
        ("Llama", {}, ["q_proj", "v_proj"]),
        ("Qwen3", {"head_dim": 8}, "all-linear"),
        ("Qwen3Moe", {**MOE, "head_dim": 8}, "all-linear"),
        ("Mixtral", {"num_local_experts": 4}, "all-linear"),
        ("Qwen2Moe", {**MOE, "shared_expert_intermediate_size": 20}, "all-linear"),
        ("Phi3", {}, ["qkv_proj", "down_proj"]),
        ("GPT2", GPT2, "all-linear"),
    ],
)
def test_an_adapter_is_as_large_as_the_real_one(tmp_path, name, options, targets):
    peft = pytest.importorskip("peft")
    model, config = build(name, options)
    model.save_pretrained(tmp_path)
    lora = peft.LoraConfig(r=3, target_modules=targets, task_type="CAUSAL_LM", fan_in_fan_out=name == "GPT2")
    adapted = peft.get_peft_model(model, lora)
    trainable = sum(parameter.numel() for parameter in adapted.parameters() if parameter.requires_grad)
    by_header = find_architecture(ModelSpec(name=str(tmp_path)))
    for architecture in (read_architecture(config), by_header):
        assert sum(weight.numel for weight in architecture.adapter_weights(3, targets)) == trainable


def tensors(**shapes):
    return {name.replace("__", "."): {"dtype": "BF16", "shape": list(shape)} for name, shape in shapes.items()}


def test_equal_tensors_are_counted_together():
    header = tensors(model__layers__0__q_proj__weight=(4, 2), model__layers__1__q_proj__weight=(4, 2))
    assert weights_of(header, layers=2, tied=False) == (Weight("q_proj", (4, 2), 2),)


def test_the_experts_of_a_layer_are_one_tensor_with_gate_and_up_in_one():
    header = {}
    for expert in range(3):
        name = f"model.layers.0.block_sparse_moe.experts.{expert}."
        header |= {f"{name}{part}.weight": {"dtype": "BF16", "shape": [8, 4]} for part in ("w1", "w3")}
        header[f"{name}w2.weight"] = {"dtype": "BF16", "shape": [4, 8]}
    found = weights_of(header, layers=1, tied=False)
    assert found == (Weight("gate_up_proj", (3, 16, 4)), Weight("w2", (3, 4, 8)))
    assert all(weight.is_routed and not weight.is_linear for weight in found)


def test_an_output_layer_that_is_the_embedding_is_counted_once():
    both = tensors(model__embed_tokens__weight=(9, 2), lm_head__weight=(9, 2))
    assert [weight.name for weight in weights_of(both, layers=1, tied=True)] == ["embed_tokens"]
    assert [weight.name for weight in weights_of(both, layers=1, tied=False)] == ["embed_tokens", "lm_head"]
    alone = tensors(lm_head__weight=(9, 2))
    assert [weight.name for weight in weights_of(alone, layers=1, tied=True)] == ["lm_head"]


@pytest.mark.parametrize(
    ("name", "dtype", "shape"),
    [
        ("h.0.attn.bias", "F32", [1, 1, 4, 4]),  # GPT-2's mask
        ("h.0.attn.masked_bias", "F32", []),
        ("model.layers.0.self_attn.rotary_emb.inv_freq", "F32", [8]),  # early Llamas
        ("model.layers.0.mlp.gate.e_score_correction_bias", "F32", [4]),  # DeepSeek
        ("embeddings.position_ids", "I64", [1, 8]),
        ("model.layers.2.mlp.down_proj.weight", "BF16", [4, 8]),  # predicts further tokens; transformers skips it
        ("mtp.layers.0.mlp.down_proj.weight", "BF16", [4, 8]),
    ],
)
def test_what_is_not_trained_is_not_counted(name, dtype, shape):
    assert weights_of({name: {"dtype": dtype, "shape": shape}}, layers=2, tied=False) == ()


def test_biases_are_counted_and_not_linear():
    (bias,) = weights_of(tensors(model__layers__0__q_proj__bias=(4,)), layers=1, tied=False)
    assert (bias, bias.is_linear) == (Weight("q_proj", (4,)), False)
