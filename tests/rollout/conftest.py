"""Tiny random models, one of each kind of cache and position that a rollout has to serve."""

import math
from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn
from transformers import (
    Gemma2Config,
    Gemma2ForCausalLM,
    Gemma3ForCausalLM,
    Gemma3TextConfig,
    GPT2Config,
    GPT2LMHeadModel,
    LlamaConfig,
    LlamaForCausalLM,
    MistralConfig,
    MistralForCausalLM,
    PreTrainedModel,
    Qwen3Config,
    Qwen3ForCausalLM,
)

VOCABULARY, PAD, END, SECOND_END = 40, 0, 1, 2

torch.set_num_threads(1)

_SIZE = {
    "vocab_size": VOCABULARY,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 8,
    "max_position_embeddings": 256,
    "eos_token_id": END,
    "pad_token_id": PAD,
    "bos_token_id": None,
    # The default of 0.02 leaves so small a model with flat logits, which hide wrong positions and masks.
    "initializer_range": 0.3,
}


def _qwen3() -> PreTrainedModel:
    return Qwen3ForCausalLM(Qwen3Config(**_SIZE))


def _llama() -> PreTrainedModel:
    return LlamaForCausalLM(LlamaConfig(**_SIZE))


def _gpt2() -> PreTrainedModel:
    return GPT2LMHeadModel(
        GPT2Config(
            vocab_size=VOCABULARY,
            n_positions=256,
            n_embd=32,
            n_layer=2,
            n_head=4,
            eos_token_id=END,
            bos_token_id=None,
            pad_token_id=PAD,
            initializer_range=0.3,
            resid_pdrop=0.5,
        )
    )


def _mistral_sliding() -> PreTrainedModel:
    return MistralForCausalLM(MistralConfig(**_SIZE, sliding_window=6))


def _gemma2_hybrid() -> PreTrainedModel:
    return Gemma2ForCausalLM(Gemma2Config(**_SIZE, sliding_window=6, query_pre_attn_scalar=8))


def _gemma3_hybrid() -> PreTrainedModel:
    kinds = ["sliding_attention", "full_attention"]
    return Gemma3ForCausalLM(Gemma3TextConfig(**_SIZE, sliding_window=6, query_pre_attn_scalar=8, layer_types=kinds))


MAKERS = {
    "qwen3": _qwen3,
    "llama": _llama,
    "gpt2": _gpt2,
    "mistral-sliding": _mistral_sliding,
    "gemma2-hybrid": _gemma2_hybrid,
    "gemma3-hybrid": _gemma3_hybrid,
}


@pytest.fixture(params=MAKERS)
def any_model(request: pytest.FixtureRequest) -> PreTrainedModel:
    torch.manual_seed(0)
    return MAKERS[request.param]().eval()


@pytest.fixture
def make_model() -> Callable[[str], PreTrainedModel]:
    def make(kind: str = "qwen3") -> PreTrainedModel:
        torch.manual_seed(0)
        return MAKERS[kind]().eval()

    return make


class HazardHead(nn.Module):
    """A language-model head in front of which the end token gets a fixed probability at every step."""

    def __init__(self, head: nn.Linear, hazard: float) -> None:
        super().__init__()
        self.head, self.log_odds = head, math.log(hazard / (1 - hazard))

    def forward(self, hidden: Tensor) -> Tensor:
        logits = self.head(hidden)
        others = logits.clone()
        others[..., [PAD, END, SECOND_END]] = -torch.inf
        logits[..., [PAD, SECOND_END]] = -torch.inf
        logits[..., END] = torch.logsumexp(others, -1) + self.log_odds
        return logits


@pytest.fixture
def hazard_model(make_model: Callable[[str], PreTrainedModel]) -> Callable[[float], PreTrainedModel]:
    """A tiny model whose completions have geometric lengths: it ends with probability `hazard` at every token."""

    def make(hazard: float, kind: str = "qwen3") -> PreTrainedModel:
        model = make_model(kind)
        model.lm_head = HazardHead(model.lm_head, hazard)
        return model

    return make
