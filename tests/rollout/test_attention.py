"""The attention of decode steps: the same numbers as transformers' SDPA, and only while sampling."""

from types import SimpleNamespace

import pytest
import torch
from transformers.integrations.sdpa_attention import sdpa_attention_forward

from gpocli.rollout import SamplingRequest, SamplingSettings, attention, sample_groups
from gpocli.rollout.attention import decode_attention

SAMPLING = SamplingSettings(max_new_tokens=4, eos_token_ids=(1,), pad_token_id=0)


def states(rows, heads, queries, tokens, dtype=torch.float32):
    generator = torch.Generator().manual_seed(0)
    return torch.randn(rows, heads, queries or tokens, 8, generator=generator).to(dtype)


def both(query, key, mask, **options):
    groups = query.shape[1] // key.shape[1]
    module = SimpleNamespace(num_key_value_groups=groups, is_causal=True)
    arguments = (module, query, key, key.flip(2), mask)
    return decode_attention(*arguments, **options)[0], sdpa_attention_forward(*arguments, **options)[0]


@pytest.mark.parametrize("key_value_heads", [1, 2, 4])
@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("scaling", [None, 0.7])
def test_a_single_query_gets_what_sdpa_gives(key_value_heads, masked, scaling):
    mask = torch.arange(9) >= torch.tensor([0, 3, 8]).view(3, 1, 1, 1) if masked else None
    ours, theirs = both(states(3, 4, 1, 9), states(3, key_value_heads, None, 9), mask, scaling=scaling)
    assert ours.shape == theirs.shape == (3, 1, 4, 8)
    torch.testing.assert_close(ours, theirs, rtol=1e-5, atol=1e-5)


def test_by_hand():
    # One query (2, 0) over keys (0, 0) and (1, 0) at scale 0.5: weights 1 : e, over values 0 and 1.
    query, key = torch.tensor([2.0, 0.0]).view(1, 1, 1, 2), torch.tensor([[0.0, 0.0], [1.0, 0.0]]).view(1, 1, 2, 2)
    mixed, _ = decode_attention(SimpleNamespace(), query, key, key, None, scaling=0.5)
    assert mixed.flatten().tolist() == pytest.approx([0.7310586, 0.0])  # e / (1 + e)


@pytest.mark.parametrize(
    ("queries", "dtype"), [(3, torch.float32), (1, torch.bfloat16)], ids=["a prefill", "16-bit floats"]
)
def test_all_else_is_left_to_sdpa(queries, dtype):
    mask = torch.ones(2, 1, queries, 5, dtype=torch.bool)
    ours, theirs = both(states(2, 4, queries, 5, dtype), states(2, 2, None, 5, dtype), mask)
    assert torch.equal(ours, theirs)


def test_the_model_attends_so_while_it_samples_and_not_after(make_model, monkeypatch):
    model, calls = make_model(), []
    monkeypatch.setattr(
        attention.AttentionInterface,
        "_global_mapping",
        attention.AttentionInterface._global_mapping
        | {"gpo_decode": lambda *given, **options: calls.append(1) or decode_attention(*given, **options)},
    )
    sample_groups(model, SamplingRequest([[5, 6], [7]], 2, SAMPLING, seed=0))
    assert calls
    assert model.config._attn_implementation == "sdpa"


def test_the_model_attends_as_before_after_a_failure(make_model, monkeypatch):
    model = make_model()

    def fail(*given, **options):
        raise RuntimeError

    monkeypatch.setattr(model, "forward", fail)
    with pytest.raises(RuntimeError):
        sample_groups(model, SamplingRequest([[5, 6]], 2, SAMPLING, seed=0))
    assert model.config._attn_implementation == "sdpa"
