"""Whose dropout acts while training: that of adapters always, that of the model where it is asked for."""

import pytest
import torch
from transformers import AutoTokenizer, GPT2Config, GPT2LMHeadModel, OPTConfig, OPTForCausalLM

from gpocli import GFPOConfig, GFPOTrainer

TOKENS = {"eos_token_id": 1, "bos_token_id": None, "pad_token_id": 0, "vocab_size": 44, "initializer_range": 0.3}


def gpt2():
    """Dropout in modules: 0.1 of embeddings, residuals and attention."""
    return GPT2LMHeadModel(GPT2Config(n_positions=64, n_embd=16, n_layer=1, n_head=2, **TOKENS))


def opt():
    """Dropout in numbers that its layers hand to a function: 0.1 of residuals."""
    size = {"hidden_size": 16, "word_embed_proj_dim": 16, "ffn_dim": 32, "num_hidden_layers": 1}
    return OPTForCausalLM(OPTConfig(num_attention_heads=2, max_position_embeddings=64, init_std=0.3, **size, **TOKENS))


@pytest.fixture
def trainer_of(make_trainer, tiny_model):
    def make(model, **options):
        tokenizer = AutoTokenizer.from_pretrained(tiny_model)
        return make_trainer(GFPOTrainer, GFPOConfig, model=model, processing_class=tokenizer, **options)

    return make


def drops(trainer):
    """Whether two training passes over the same row differ."""
    row = {"input_ids": torch.tensor([[5, 6, 7, 8]]), "attention_mask": torch.ones(1, 4, dtype=torch.long)}
    with torch.no_grad():
        first, second = (trainer.model.train()(**row).logits for _ in range(2))
    return not torch.equal(first, second)


@pytest.mark.parametrize("make", [gpt2, opt])
def test_that_of_the_model_is_off_unless_it_is_asked_for(trainer_of, make):
    assert not drops(trainer_of(make()))
    assert drops(trainer_of(make(), disable_dropout=False))


def test_that_of_an_adapter_stays(trainer_of):
    peft = pytest.importorskip("peft")
    adapter = peft.LoraConfig(
        target_modules=["c_attn"], fan_in_fan_out=True, init_lora_weights=False, lora_dropout=0.25
    )
    trainer = trainer_of(gpt2(), peft_config=adapter)
    layer = trainer.model.get_base_model().transformer.h[0]
    assert layer.attn.c_attn.lora_dropout["default"].p == 0.25
    assert layer.attn.resid_dropout.p == 0.0
    assert drops(trainer)
    assert trainer.args.disable_dropout


@pytest.mark.parametrize("rollout", ["auto", "generate"])
def test_no_engine_samples_with_dropout(trainer_of, rollout):
    trainer = trainer_of(gpt2(), disable_dropout=False, rollout=rollout, max_steps=1)
    modes, forward = [], trainer.model.forward

    def watching(*args, **kwargs):
        modes.append((bool(kwargs.get("use_cache")), trainer.model.training))
        return forward(*args, **kwargs)

    trainer.model.forward = watching
    trainer.train()
    assert (True, False) in modes  # sampling
    assert (False, True) in modes  # the loss
    assert (True, True) not in modes
    assert trainer.model.training
