"""Small real models of the types that are known, for what is worked out without them to be held against."""

import json

import transformers

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
