import pytest
import torch
from torch import nn
from transformers import (
    BertConfig,
    BertModel,
    LlamaConfig,
    LlamaForCausalLM,
    MambaConfig,
    MambaForCausalLM,
    Phi3Config,
    Phi3ForCausalLM,
    PreTrainedModel,
    Qwen3NextConfig,
    Qwen3NextForCausalLM,
    T5Config,
    T5ForConditionalGeneration,
)

from gpocli.rollout import SamplingRequest, SamplingSettings, sample_groups, supports

SHORT, LONG = [5, 6, 7], list(range(3, 23))
CONTEXT = 16

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


def longrope() -> PreTrainedModel:
    """Tiny Phi-3: short factors up to 16 tokens, long ones for every token of a longer sequence."""
    return Phi3ForCausalLM(
        Phi3Config(
            vocab_size=40,
            hidden_size=32,
            intermediate_size=48,
            num_hidden_layers=2,
            num_attention_heads=4,
            max_position_embeddings=128,
            original_max_position_embeddings=CONTEXT,
            initializer_range=0.3,
            eos_token_id=1,
            pad_token_id=0,
            bos_token_id=None,
            rope_parameters={
                "rope_type": "longrope",
                "rope_theta": 10000.0,
                "factor": 8.0,
                "short_factor": [1.0, 1.1, 1.2, 1.3],
                "long_factor": [2.0, 4.0, 8.0, 16.0],
                "original_max_position_embeddings": CONTEXT,
            },
        )
    )


def dynamic_ntk() -> PreTrainedModel:
    """Tiny Llama whose frequencies grow with every token past 16."""
    return LlamaForCausalLM(
        LlamaConfig(
            vocab_size=40,
            hidden_size=32,
            intermediate_size=48,
            num_hidden_layers=2,
            num_attention_heads=4,
            max_position_embeddings=CONTEXT,
            initializer_range=0.3,
            eos_token_id=1,
            pad_token_id=0,
            rope_parameters={"rope_type": "dynamic", "factor": 4.0, "rope_theta": 10000.0},
        )
    )


def request_of(prompts, max_new_tokens):
    return SamplingRequest(prompts, 4, SamplingSettings(max_new_tokens, eos_token_ids=(1,), pad_token_id=0), seed=0)


@torch.no_grad()
def furthest_from_full_forward(model, request):
    """The largest difference between what a token was drawn with and a full forward of its row alone, in nats."""
    rollout, furthest = sample_groups(model, request), 0.0
    for row, (ids, logps) in enumerate(zip(rollout.completion_ids, rollout.logps, strict=True)):
        whole = list(request.prompts_P[row // request.group_size]) + ids
        full = model(input_ids=torch.tensor([whole])).logits[0, -len(ids) - 1 : -1].log_softmax(-1)
        expected = full.gather(1, torch.tensor(ids)[:, None]).squeeze(1)
        furthest = max(furthest, (torch.tensor(logps) - expected).abs().max().item())
    return furthest


@pytest.mark.parametrize(
    ("make", "prompts", "max_new_tokens"),
    [
        (longrope, [SHORT, [8, 9]], CONTEXT - 3),  # within the original context up to its last token
        (longrope, [LONG, [*LONG, 30, 31]], 12),  # past it from the first token on
        (dynamic_ntk, [SHORT, [8, 9]], CONTEXT - 3),
    ],
    ids=["longrope-within", "longrope-past", "dynamic-within"],
)
def test_where_a_rotary_embedding_stays_the_same_tokens_are_drawn_as_a_full_forward_scores_them(
    make, prompts, max_new_tokens
):
    torch.manual_seed(0)
    model = make().eval()
    together = request_of(prompts, max_new_tokens)

    assert supports(model, together) is None
    assert furthest_from_full_forward(model, together) < 1e-4
    # And a longer neighbour changes nothing.
    alone = sample_groups(model, request_of(prompts[:1], max_new_tokens))
    assert sample_groups(model, together).completion_ids[:4] == alone.completion_ids


@pytest.mark.parametrize(
    ("make", "prompts", "max_new_tokens", "reason"),
    [
        (longrope, [SHORT], CONTEXT - 2, "3 to 17 tokens: the rotary embedding (longrope) of Phi3ForCausalLM changes"),
        (longrope, [SHORT, LONG], 4, "3 to 24 tokens: the rotary embedding (longrope) of Phi3ForCausalLM changes"),
        (longrope, [LONG[:CONTEXT]], 4, "16 to 20 tokens: the rotary embedding (longrope) of Phi3ForCausalLM changes"),
        (dynamic_ntk, [LONG], 4, "20 to 24 tokens: the rotary embedding (dynamic) of LlamaForCausalLM changes"),
    ],
    ids=["crosses", "on-both-sides", "full-prompt", "dynamic-past"],
)
def test_where_it_changes_the_request_is_not_served(make, prompts, max_new_tokens, reason):
    model = make().eval()

    assert supports(model) is None
    assert supports(model, request_of(prompts, max_new_tokens)) == f"rows have {reason} past 16"
    # Why: another distribution than the one that is trained.
    assert furthest_from_full_forward(model, request_of(prompts, max_new_tokens)) > 0.01


def test_a_fixed_rotary_embedding_is_served_at_any_length(make_model):
    assert supports(make_model(), request_of([SHORT, LONG * 3], 190)) is None
