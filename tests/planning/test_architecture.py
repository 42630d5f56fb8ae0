"""Parameter counts and cache sizes from a config alone, against real models."""

import json

import pytest
import torch
import transformers

from gpocli.planning.architecture import UnknownModel, read_architecture

torch.set_num_threads(1)

SIZES = {
    "vocab_size": 50,
    "hidden_size": 16,
    "intermediate_size": 24,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
}
GPT2 = {
    "vocab_size": 50,
    "n_embd": 16,
    "n_layer": 3,
    "n_head": 4,
    "n_positions": 40,
    "bos_token_id": 1,
    "eos_token_id": 2,
}
MOE = {"num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 12}
MODELS = [
    ("Llama", {}),
    ("Llama", {"attention_bias": True, "mlp_bias": True, "tie_word_embeddings": True}),
    ("Llama", {"head_dim": 6, "num_key_value_heads": None}),
    ("Mistral", {"sliding_window": 8}),
    ("Mistral", {"sliding_window": None}),
    ("Mixtral", {"num_local_experts": 4}),
    ("Qwen2", {}),
    ("Qwen2", {"use_sliding_window": True, "sliding_window": 8, "max_window_layers": 1}),
    ("Qwen2Moe", {**MOE, "shared_expert_intermediate_size": 20}),
    ("Qwen3", {"head_dim": 8}),
    ("Qwen3", {"head_dim": 8, "tie_word_embeddings": True, "attention_bias": True}),
    ("Qwen3Moe", {**MOE, "head_dim": 8}),
    ("Qwen3Moe", {**MOE, "mlp_only_layers": [0], "decoder_sparse_step": 2}),
    ("Gemma", {"head_dim": 8}),
    ("Gemma2", {"head_dim": 8, "sliding_window": 8}),
    ("Gemma3", {"head_dim": 8, "sliding_window": 8}),
    ("Phi3", {"sliding_window": 8}),
    ("SmolLM3", {"tie_word_embeddings": False}),
    ("Olmo2", {}),
    ("GPT2", GPT2),
    ("GPT2", {**GPT2, "n_inner": 20, "tie_word_embeddings": False}),
]
IDS = [f"{name}{i}" for i, (name, _) in enumerate(MODELS)]


def build(name, options):
    config_class = getattr(transformers, {"Gemma3": "Gemma3TextConfig"}.get(name, f"{name}Config"))
    model_class = getattr(transformers, "GPT2LMHeadModel" if name == "GPT2" else f"{name}ForCausalLM")
    config = config_class(**(options if name == "GPT2" else {**SIZES, **options}))
    return model_class(config), json.loads(config.to_json_string())


@pytest.mark.parametrize(("name", "options"), MODELS, ids=IDS)
def test_parameters_are_those_of_the_real_model(name, options):
    model, config = build(name, options)
    architecture = read_architecture(config)
    assert architecture.known
    assert architecture.parameters == sum(parameter.numel() for parameter in model.parameters())


@pytest.mark.parametrize(("name", "options"), MODELS, ids=IDS)
def test_the_cache_is_as_large_as_the_real_one(name, options):
    model, config = build(name, options)
    ids = torch.arange(3 * 20).view(3, 20) % 50
    cache = transformers.DynamicCache(config=model.config)
    with torch.no_grad():
        model(input_ids=ids[:, :19], past_key_values=cache, use_cache=True)
        model(input_ids=ids[:, 19:], past_key_values=cache, use_cache=True)
    held = sum(layer.keys.numel() + layer.values.numel() for layer in cache.layers)
    assert read_architecture(config).cache_elements(rows=3, tokens=20) == held


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
def test_an_adapter_is_as_large_as_the_real_one(name, options, targets):
    peft = pytest.importorskip("peft")
    model, config = build(name, options)
    lora = peft.LoraConfig(r=3, target_modules=targets, task_type="CAUSAL_LM", fan_in_fan_out=name == "GPT2")
    adapted = peft.get_peft_model(model, lora)
    trainable = sum(parameter.numel() for parameter in adapted.parameters() if parameter.requires_grad)
    assert sum(weight.numel for weight in read_architecture(config).adapter_weights(3, targets)) == trainable


def test_an_old_config_without_newer_keys_gets_the_defaults_of_its_type():
    # Llama 2 as published: no head_dim, no tie_word_embeddings, torch_dtype for dtype
    architecture = read_architecture(
        {
            "model_type": "llama",
            "vocab_size": 32000,
            "hidden_size": 4096,
            "intermediate_size": 11008,
            "num_hidden_layers": 32,
            "num_attention_heads": 32,
            "torch_dtype": "float16",
        }
    )
    assert architecture.parameters == 6_738_415_616
    assert architecture.dtype == "float16"


def test_the_language_part_of_a_model_that_sees_images_is_counted():
    config = {"model_type": "gemma3", "text_config": {**SIZES, "model_type": "gemma3_text", "head_dim": 8}}
    assert read_architecture(config).model_type == "gemma3_text"


def test_an_unknown_type_is_counted_like_a_llama_and_says_so():
    architecture = read_architecture({**SIZES, "model_type": "newest"})
    assert not architecture.known
    assert architecture.parameters == read_architecture({**SIZES, "model_type": "llama"}).parameters


def test_layers_of_an_unknown_kind_make_it_an_estimate():
    config = {**SIZES, "model_type": "llama", "layer_types": ["full_attention", "linear_attention", "full_attention"]}
    assert not read_architecture(config).known


@pytest.mark.parametrize(
    ("config", "reason"),
    [
        ({"model_type": "bert"}, "its config.json has no hidden_size"),
        (
            {**SIZES, "hidden_size": "wide"},
            "its config.json has a size that is no number (invalid literal for int() with base 10: 'wide')",
        ),
    ],
)
def test_what_is_no_decoder_is_told(config, reason):
    with pytest.raises(UnknownModel) as caught:
        read_architecture(config)
    assert str(caught.value) == reason
