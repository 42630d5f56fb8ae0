import pytest
import torch
from torch import nn
from transformers import (
    AutoConfig,
    AutoModelForCausalLM,
    BartConfig,
    BartForCausalLM,
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
    RobertaConfig,
    RobertaForCausalLM,
    T5Config,
    T5ForConditionalGeneration,
)
from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING_NAMES

from gpocli.rollout import SamplingRequest, SamplingSettings, sample_groups, supports
from gpocli.rollout.support import needs_positions

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


def test_positions_that_padding_would_move_are_not():
    size = {"vocab_size": 20, "hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2}
    roberta = RobertaForCausalLM(RobertaConfig(**size, intermediate_size=8, is_decoder=True))
    bart = BartForCausalLM(
        BartConfig(vocab_size=20, d_model=8, decoder_layers=1, decoder_attention_heads=2, decoder_ffn_dim=8)
    )

    assert supports(roberta) == "RobertaForCausalLM counts positions in a way of its own"
    assert supports(bart) == (
        "BartForCausalLM is one half of an encoder-decoder, and takes the column of a token for its position"
    )


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


# What the configs of transformers call the sizes of a model.
TINY = dict.fromkeys("hidden_size n_embd d_model decoder_embed_dim word_embed_proj_dim embedding_size".split(), 32)
TINY |= dict.fromkeys("intermediate_size ffn_dim n_inner decoder_ffn_dim dff ffn_hidden_size".split(), 48)
TINY |= dict.fromkeys("num_hidden_layers n_layer num_layers decoder_layers num_experts num_local_experts".split(), 2)
TINY |= dict.fromkeys("n_routed_experts num_key_value_heads".split(), 2)
TINY |= dict.fromkeys("num_attention_heads n_head attention_heads decoder_attention_heads".split(), 4)
TINY |= dict.fromkeys("head_dim kv_lora_rank q_lora_rank qk_nope_head_dim v_head_dim rotary_dim".split(), 8)
TINY |= dict.fromkeys("max_position_embeddings n_positions".split(), 64)
TINY |= {"vocab_size": 40, "qk_rope_head_dim": 8, "moe_intermediate_size": 16, "num_experts_per_tok": 1}
TINY |= {"initializer_range": 0.3, "init_std": 0.3, "eos_token_id": 1, "pad_token_id": 0, "bos_token_id": None}
TINY |= {"is_decoder": True, "is_encoder_decoder": False, "attention_types": [[["global"], 2]]}


def tiny(model_type):
    """A tiny random model of any type; one whose config wants something else is left out of the test."""
    size = dict(TINY)
    try:
        while True:
            try:
                config = AutoConfig.for_model(model_type, **size)
                break
            except Exception as error:
                wrong = [name for name in size if name in str(error)]
                if not wrong:
                    raise
                size = {name: value for name, value in size.items() if name not in wrong}
        with torch.device("meta"):
            count = sum(weight.numel() for weight in AutoModelForCausalLM.from_config(config).parameters())
        torch.manual_seed(0)
        model = AutoModelForCausalLM.from_config(config).eval() if count < 2e7 else None
        if model is not None:
            model(input_ids=torch.tensor([SHORT]))
    except Exception as error:  # noqa: BLE001  each config refuses in its own way
        pytest.skip(f"takes other sizes: {error}"[:150])
    if model is None or supports(model) is not None:
        pytest.skip("too large" if model is None else supports(model))
    return model


@pytest.mark.slow
@pytest.mark.parametrize("model_type", MODEL_FOR_CAUSAL_LM_MAPPING_NAMES)
def test_what_is_supported_sees_each_row_as_it_is(model_type):
    model = tiny(model_type)
    rows, width = [[5, 6, 7, 8, 9, 10], [11, 12, 13], [*range(14, 23)]], 12
    ids = torch.tensor([[0] * (width - len(row)) + row for row in rows])
    mask = torch.tensor([[0] * (width - len(row)) + [1] * len(row) for row in rows])
    positions = {"position_ids": (mask.cumsum(1) - 1).clamp(min=0)} if needs_positions(model) else {}

    with torch.no_grad():
        padded = model(input_ids=ids, attention_mask=mask, use_cache=False, **positions).logits.log_softmax(-1)
        for logits, row in zip(padded, rows, strict=True):
            alone = model(input_ids=torch.tensor([row])).logits[0].log_softmax(-1)
            torch.testing.assert_close(logits[-len(row) :], alone, atol=1e-3, rtol=1e-3)
    assert furthest_from_full_forward(model, request_of(rows[:2], 6)) < 1e-3
