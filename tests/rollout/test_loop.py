from functools import cache

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import settings as settings_of_hypothesis
from hypothesis import strategies as st
from transformers import AutoConfig, AutoModelForCausalLM, LlamaConfig, LlamaForCausalLM

from gpocli.errors import GuardError, SpecError
from gpocli.rollout import Race, SamplingRequest, SamplingSettings, loop, sample_groups, supports
from gpocli.rollout.sampling import logits_processors
from gpocli.rollout.support import PLAIN_MODELS
from tests.rollout.conftest import MAKERS

END, SECOND_END, PAD = 1, 2, 0
PROMPTS = [[5, 6, 7], [8, 9, 10, 11, 12, 13, 14, 15, 16], [5, 6, 7], [30]]


def settings(**changes):
    values = {"max_new_tokens": 24, "eos_token_ids": (END, SECOND_END), "pad_token_id": PAD} | changes
    return SamplingSettings(**values)


def by_length(keep):
    return Race(keep, lambda row, ids, finished: (-float(len(ids)),), lambda length: (-float(length + 1),))


def kept(rollout, group_size, keep):
    """(row, tokens) of the shortest of each group, by plain sorting."""
    rows = range(len(rollout.completion_ids))
    groups = [
        [row for row in rows if row // group_size == group and not rollout.lost[row]]
        for group in range(len(rows) // group_size)
    ]
    chosen = [sorted(g, key=lambda r: (len(rollout.completion_ids[r]), r))[:keep] for g in groups]
    return [[(row, rollout.completion_ids[row]) for row in sorted(group)] for group in chosen]


@torch.no_grad()
def replay(model, prompt, row, seed, sampling, drawn):
    """What each place of `drawn` has to be after those before it: one unpadded row, no cache, no mask, no company."""
    uniform = np.random.Generator(np.random.Philox(key=[seed, row])).random(256)
    ids = torch.tensor([[*prompt, *drawn]])
    logits_TV = model(input_ids=ids).logits[0].float()
    tokens: list[int] = []
    while len(tokens) <= len(drawn) and len(tokens) < sampling.max_new_tokens:
        seen = len(prompt) + len(tokens)
        scores = logits_processors(sampling)(ids[:, :seen], logits_TV[seen - 1 : seen].clone())
        cumulative = torch.softmax(scores, -1)[0].double().cumsum(0)
        tokens.append(int((cumulative <= uniform[len(tokens)] * cumulative[-1]).sum()))
        if tokens[-1] in sampling.eos_token_ids:
            break
    return tokens


def replayed(model, prompts, seed, sampling, rollout):
    """`replay` of all rows of a rollout."""
    size = len(rollout.completion_ids) // len(prompts)
    return [
        replay(model, prompts[row // size], row, seed, sampling, drawn)
        for row, drawn in enumerate(rollout.completion_ids)
    ]


def test_every_kind_of_cache_gives_the_tokens_of_plain_forward_passes(any_model):
    rollout = sample_groups(any_model, SamplingRequest(PROMPTS, 3, settings(), seed=7))

    assert rollout.completion_ids == replayed(any_model, PROMPTS, 7, settings(), rollout)


@pytest.mark.parametrize(
    "changes",
    [
        {"temperature": 0.7},
        {"top_k": 5},
        {"top_p": 0.8},
        {"min_p": 0.1},
        {"repetition_penalty": 1.5},
        {"temperature": 1.3, "top_k": 20, "top_p": 0.9, "min_p": 0.01, "repetition_penalty": 1.2},
    ],
    ids=str,
)
def test_settings_work_on_each_row_by_itself(make_model, changes):
    model, sampling = make_model(), settings(**changes)

    rollout = sample_groups(model, SamplingRequest(PROMPTS, 3, sampling, seed=3))

    assert rollout.completion_ids == replayed(model, PROMPTS, 3, sampling, rollout)


def test_settings_win_over_the_generation_config_of_the_model(make_model):
    model = make_model()
    plain = sample_groups(model, SamplingRequest(PROMPTS, 4, settings(), seed=0))
    model.generation_config.update(do_sample=True, top_k=1, temperature=0.01, repetition_penalty=1.5)

    rollout = sample_groups(model, SamplingRequest(PROMPTS, 4, settings(), seed=0))

    assert rollout.completion_ids == plain.completion_ids
    assert len({tuple(ids) for ids in rollout.completion_ids[:4]}) == 4


@pytest.mark.parametrize("pad", [PAD, END])
def test_each_end_token_ends_a_row_and_stays_in_it(make_model, pad):
    rollout = sample_groups(
        make_model(),
        SamplingRequest(PROMPTS, 8, settings(max_new_tokens=64, pad_token_id=pad, temperature=3.0), seed=0),
    )

    last = {ids[-1] for ids, finished in zip(rollout.completion_ids, rollout.finished, strict=True) if finished}
    assert last == {END, SECOND_END}
    assert not any(token in (END, SECOND_END) for ids in rollout.completion_ids for token in ids[:-1])


def test_rows_at_the_limit_are_unfinished_and_not_lost(hazard_model):
    rollout = sample_groups(
        hazard_model(1e-9), SamplingRequest(PROMPTS, 2, settings(max_new_tokens=5), seed=0, race=by_length(1))
    )

    assert [len(ids) for ids in rollout.completion_ids] == [5] * 8
    assert rollout.finished == [False] * 8
    assert rollout.lost == [False] * 8
    # The first token comes out of the prefill.
    assert (rollout.decode_steps, rollout.decoded_tokens) == (4, 32)


@pytest.mark.parametrize("kind", ["qwen3", "gpt2", "mistral-sliding", "gemma3-hybrid"])
@pytest.mark.parametrize("seed", range(3))
def test_race_on_and_off_keep_the_same_tokens(hazard_model, kind, seed):
    model = hazard_model(0.05, kind)
    full = sample_groups(model, SamplingRequest(PROMPTS, 8, settings(max_new_tokens=40), seed=seed))
    raced = sample_groups(model, SamplingRequest(PROMPTS, 8, settings(max_new_tokens=40), seed=seed, race=by_length(3)))

    assert kept(raced, 8, 3) == kept(full, 8, 3)
    assert sum(raced.lost) > 0
    assert raced.decoded_tokens < full.decoded_tokens
    # What a lost row had is the start of what it would have become.
    starts = [f[: len(r)] for r, f in zip(raced.completion_ids, full.completion_ids, strict=True)]
    assert raced.completion_ids == starts


@cache
def shared_model():
    torch.manual_seed(0)
    return MAKERS["qwen3"]().eval()


@settings_of_hypothesis(max_examples=30)
@given(
    seed=st.integers(0, 2**32),
    prompts=st.lists(st.lists(st.integers(3, 39), min_size=1, max_size=6), min_size=1, max_size=3),
    group_size=st.integers(2, 6),
    limit=st.integers(1, 20),
    data=st.data(),
)
def test_races_of_a_real_model_keep_what_full_generation_keeps(seed, prompts, group_size, limit, data):
    # The model ends at a rate that depends on the text: groups differ in difficulty, and some rows reach the limit.
    keep = data.draw(st.integers(1, group_size))
    sampling = settings(max_new_tokens=limit, temperature=2.0)
    full = sample_groups(shared_model(), SamplingRequest(prompts, group_size, sampling, seed=seed))
    raced = sample_groups(
        shared_model(), SamplingRequest(prompts, group_size, sampling, seed=seed, race=by_length(keep))
    )

    assert kept(raced, group_size, keep) == kept(full, group_size, keep)
    assert raced.decode_steps <= full.decode_steps


def test_an_empty_prompt_is_refused(make_model):
    with pytest.raises(SpecError) as error:
        sample_groups(make_model(), SamplingRequest([[5], []], 2, settings(), seed=0))

    assert str(error.value) == (
        "a prompt has no token, so there is nothing to sample from: leave out rows with an empty prompt"
    )


@pytest.mark.parametrize("looks", [1, 3, 7])
def test_result_does_not_depend_on_how_often_the_host_looks(hazard_model, monkeypatch, looks):
    model = hazard_model(0.1)
    every_step = sample_groups(model, SamplingRequest(PROMPTS, 8, settings(), seed=1, race=by_length(3)))
    monkeypatch.setitem(loop._STEPS_PER_LOOK, "cpu", looks)

    rollout = sample_groups(model, SamplingRequest(PROMPTS, 8, settings(), seed=1, race=by_length(3)))

    assert rollout.completion_ids == every_step.completion_ids
    assert (rollout.finished, rollout.lost) == (every_step.finished, every_step.lost)


def test_a_row_does_not_depend_on_the_other_prompts(make_model):
    model = make_model()
    alone = sample_groups(model, SamplingRequest(PROMPTS[:1], 4, settings(), seed=5))
    together = sample_groups(model, SamplingRequest(PROMPTS, 4, settings(), seed=5))

    assert together.completion_ids[:4] == alone.completion_ids


def test_seed_decides(make_model):
    model = make_model()
    first, again, other = (sample_groups(model, SamplingRequest(PROMPTS, 4, settings(), seed=s)) for s in (1, 1, 2))

    assert first.completion_ids == again.completion_ids
    assert first.completion_ids != other.completion_ids


def test_dropout_is_off_while_sampling_and_the_mode_is_put_back(make_model):
    model = make_model("gpt2")
    expected = sample_groups(model, SamplingRequest(PROMPTS, 4, settings(), seed=1))
    model.train()
    model.transformer.h[0].eval()
    model.gradient_checkpointing_enable()
    modes = [module.training for module in model.modules()]

    rollout = sample_groups(model, SamplingRequest(PROMPTS, 4, settings(), seed=1))

    assert rollout.completion_ids == expected.completion_ids
    assert [module.training for module in model.modules()] == modes
    assert model.is_gradient_checkpointing


@pytest.mark.parametrize("model_type", sorted(PLAIN_MODELS))
def test_models_that_take_a_ready_mask_give_the_tokens_of_plain_forward_passes(model_type):
    config = AutoConfig.for_model(
        model_type,
        vocab_size=40,
        hidden_size=32,
        intermediate_size=48,
        moe_intermediate_size=16,
        num_experts=2,
        num_experts_per_tok=1,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=8,
        max_position_embeddings=128,
        initializer_range=0.3,
        eos_token_id=END,
        pad_token_id=PAD,
        bos_token_id=None,
        sliding_window=None,
    )
    torch.manual_seed(0)
    model = AutoModelForCausalLM.from_config(config).eval()
    assert supports(model) is None

    sampling = settings(max_new_tokens=10)
    rollout = sample_groups(model, SamplingRequest(PROMPTS, 2, sampling, seed=7))

    assert rollout.completion_ids == replayed(model, PROMPTS, 7, sampling, rollout)


def train_one_step(model):
    model(input_ids=torch.tensor([[4, 5, 6]]), labels=torch.tensor([[4, 5, 6]])).loss.backward()
    return all(parameter.grad is not None for parameter in model.parameters() if parameter.requires_grad)


def test_model_trains_after_a_rollout(any_model):
    sample_groups(any_model.train(), SamplingRequest(PROMPTS, 2, settings(), seed=1))

    assert train_one_step(any_model)


def test_model_that_stores_its_rotary_frequencies_trains_after_a_rollout():
    rope = {"rope_type": "dynamic", "factor": 2.0, "rope_theta": 10000.0}
    model = LlamaForCausalLM(
        LlamaConfig(
            vocab_size=40,
            hidden_size=32,
            intermediate_size=8,
            num_hidden_layers=1,
            num_attention_heads=4,
            max_position_embeddings=8,
            rope_parameters=rope,
        )
    )
    sample_groups(model, SamplingRequest(PROMPTS, 2, settings(), seed=1))

    assert not any(buffer.is_inference() for buffer in model.buffers())
    assert train_one_step(model)


def test_model_trains_after_a_rollout_under_autocast(make_model):
    model = make_model()
    with torch.autocast("cpu", torch.bfloat16):
        sample_groups(model, SamplingRequest(PROMPTS, 2, settings(), seed=1))

        assert train_one_step(model)


def test_lora_with_gradient_checkpointing_trains_after_a_rollout(make_model):
    peft = pytest.importorskip("peft")
    model = peft.get_peft_model(make_model(), peft.LoraConfig(target_modules=["q_proj", "v_proj"])).train()
    model.enable_input_require_grads()
    model.gradient_checkpointing_enable()
    sample_groups(model, SamplingRequest(PROMPTS, 2, settings(), seed=1))

    assert train_one_step(model)


def test_bf16_model_is_sampled(hazard_model):
    model = hazard_model(0.1).to(torch.bfloat16)

    raced = sample_groups(model, SamplingRequest(PROMPTS, 8, settings(), seed=1, race=by_length(3)))

    assert sum(raced.finished) >= 12


def test_lora_model_is_sampled_with_its_adapter(make_model):
    peft = pytest.importorskip("peft")
    plain = sample_groups(make_model(), SamplingRequest(PROMPTS, 4, settings(), seed=1))
    model = peft.get_peft_model(
        make_model(), peft.LoraConfig(target_modules=["q_proj", "v_proj"], init_lora_weights=False)
    )
    merged = peft.get_peft_model(
        make_model(), peft.LoraConfig(target_modules=["q_proj", "v_proj"], init_lora_weights=False)
    )
    merged.load_state_dict(model.state_dict())

    rollout = sample_groups(model, SamplingRequest(PROMPTS, 4, settings(), seed=1))

    assert rollout.completion_ids != plain.completion_ids
    assert (
        rollout.completion_ids
        == sample_groups(merged.merge_and_unload(), SamplingRequest(PROMPTS, 4, settings(), seed=1)).completion_ids
    )


def test_rows_are_numbered_through_over_processes(make_model):
    model = make_model()
    together = sample_groups(model, SamplingRequest(PROMPTS, 4, settings(), seed=5))
    second = sample_groups(model, SamplingRequest(PROMPTS[2:], 4, settings(), seed=5, first_row=8))

    assert second.completion_ids == together.completion_ids[8:]


@pytest.mark.parametrize("vocabulary", ["small", "large"])
def test_a_model_that_gives_no_numbers_is_told(make_model, vocabulary):
    model = make_model()
    if vocabulary == "large":
        model.resize_token_embeddings(300, mean_resizing=False)  # tokens are then drawn in levels
    with torch.no_grad():
        next(model.parameters()).fill_(float("nan"))
    with pytest.raises(GuardError, match=r"^the model gives logits that are no numbers \(NaN\)"):
        sample_groups(model, SamplingRequest(PROMPTS, 2, settings(), seed=0))
