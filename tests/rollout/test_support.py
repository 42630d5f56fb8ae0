import pytest
from torch import nn
from transformers import (
    BertConfig,
    BertModel,
    MambaConfig,
    MambaForCausalLM,
    Qwen3NextConfig,
    Qwen3NextForCausalLM,
    T5Config,
    T5ForConditionalGeneration,
)

from gpocli.rollout import supports


def test_models_with_rows_of_keys_and_values_are_supported(any_model):
    assert supports(any_model) is None


def test_encoder_decoder_is_not():
    model = T5ForConditionalGeneration(
        T5Config(vocab_size=20, d_model=8, d_kv=4, d_ff=8, num_layers=1, num_heads=2, decoder_start_token_id=0)
    )

    assert supports(model) == "T5ForConditionalGeneration is an encoder-decoder"


def test_recurrent_state_is_not():
    model = MambaForCausalLM(MambaConfig(vocab_size=20, hidden_size=8, state_size=4, num_hidden_layers=1))

    assert supports(model) == "MambaForCausalLM keeps a recurrent state, from which rows cannot be selected"


def test_hybrid_with_a_recurrent_state_is_not():
    config = Qwen3NextConfig(
        vocab_size=20, hidden_size=16, intermediate_size=16, num_hidden_layers=2, num_experts=2, num_attention_heads=2
    )

    reason = supports(Qwen3NextForCausalLM(config))

    assert reason == "Qwen3NextForCausalLM keeps a recurrent state, from which rows cannot be selected"


def test_encoder_is_not():
    config = BertConfig(vocab_size=20, hidden_size=8, num_hidden_layers=1, num_attention_heads=2, intermediate_size=8)

    assert supports(BertModel(config)) == "BertModel cannot generate text"


def test_other_modules_are_not():
    assert supports(nn.Linear(2, 2)) == "Linear is not a transformers model"


def test_a_generate_of_its_own_is_not(make_model):
    model = make_model()
    model.__class__ = type("Odd", (type(model),), {"generate": lambda self: None})

    assert supports(model) == "Odd has a generate of its own"


def test_lora_is_supported_and_learned_prompts_are_not(make_model):
    peft = pytest.importorskip("peft")
    lora = peft.get_peft_model(make_model(), peft.LoraConfig(target_modules=["q_proj"]))
    prompt = peft.get_peft_model(
        make_model(), peft.PromptTuningConfig(task_type="CAUSAL_LM", num_virtual_tokens=2, tokenizer_name_or_path="x")
    )

    assert supports(lora) is None
    assert supports(prompt) == (
        "adapter 'default' learns a prompt, which is put before the tokens inside its own generate"
    )
