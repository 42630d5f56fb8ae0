"""Models without weights."""

import pytest
import torch

from gpocli.policy.outline import adapted, adapts_its_head, outline, unmatched_layers

peft = pytest.importorskip("peft")


@pytest.fixture
def model(tiny_model):
    return outline(tiny_model, {})


def test_it_is_the_model_without_memory(model, tiny_model):
    from transformers import AutoModelForCausalLM

    real = AutoModelForCausalLM.from_pretrained(tiny_model)
    assert {weight.device.type for weight in model.parameters()} == {"meta"}
    assert type(model) is type(real)
    assert {name: weight.shape for name, weight in model.named_parameters()} == {
        name: weight.shape for name, weight in real.named_parameters()
    }


def test_options_of_loading_are_taken_as_they_are_for_weights(tiny_model):
    options = {"dtype": "bfloat16", "attn_implementation": "eager", "use_cache": False, "low_cpu_mem_usage": True}
    model = outline(tiny_model, {**options, "device_map": "auto", "quantization_config": object()})
    assert (model.dtype, model.config._attn_implementation, model.config.use_cache) == (torch.bfloat16, "eager", False)


def test_an_option_that_the_model_does_not_take_is_refused(tiny_model):
    with pytest.raises(TypeError, match="foo"):
        outline(tiny_model, {"foo": 1})


def test_layers_that_are_not_there_are_told_with_the_nearest_or_all(model):
    assert list(unmatched_layers(model, ["q_proj", "model.layers.0.mlp.up_proj"])) == []
    assert list(unmatched_layers(model, ["q_prj"])) == [("q_prj", "write q_proj")]
    ((name, hint),) = unmatched_layers(model, ["zebra"])
    assert (name, hint[:10]) == ("zebra", "there are:")
    assert "down_proj" in hint


def test_an_adapter_stands_on_the_outline(model):
    found = adapted(model, peft.LoraConfig(target_modules=["q_proj"], task_type="CAUSAL_LM"))
    assert {name.rpartition(".lora_")[0][-6:] for name, one in found.named_parameters() if one.requires_grad} == {
        "q_proj"
    }
    assert not adapts_its_head(found)


@pytest.mark.filterwarnings("ignore:Model has `tie_word_embeddings=True`:UserWarning")
def test_an_adapter_of_the_head_is_seen(model):
    assert adapts_its_head(adapted(model, peft.LoraConfig(target_modules=["lm_head"], task_type="CAUSAL_LM")))
