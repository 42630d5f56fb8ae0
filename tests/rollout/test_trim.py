import pytest
import torch
from transformers import BloomConfig, BloomForCausalLM, LlamaConfig, LlamaForCausalLM

from gpocli.rollout.support import needs_positions
from gpocli.rollout.trim import Sides, length_chunks, order_by_length, trimmable_sides, used_columns

BOTH = Sides(left=True, right=True)


def batch(prompt_lengths, completion_lengths, prompt_width, completion_width):
    """Token ids and attention mask as TRL lays them out: prompts at the right of their columns, completions left."""
    generator = torch.Generator().manual_seed(0)
    rows = len(prompt_lengths)
    ids = torch.randint(3, 40, (rows, prompt_width + completion_width), generator=generator)
    mask = torch.zeros_like(ids)
    for row, (prompt, completion) in enumerate(zip(prompt_lengths, completion_lengths, strict=True)):
        mask[row, prompt_width - prompt : prompt_width + completion] = 1
    return ids * mask, mask


def log_probs(model, ids, mask, width):
    """Log-probabilities of the completion tokens, 0 for padding, as the trainers compute them."""
    positions = {"position_ids": (mask.cumsum(1) - 1).clamp(min=0)} if needs_positions(model) else {}
    logits = model(input_ids=ids, attention_mask=mask, **positions).logits[:, -width - 1 : -1]
    logps = torch.log_softmax(logits, -1).gather(2, ids[:, -width:, None]).squeeze(2)
    return logps.masked_fill(mask[:, -width:] == 0, 0)


def loss_and_gradients(model, logps, mask):
    model.zero_grad()
    loss = (logps * torch.linspace(-1, 1, logps.numel()).view_as(logps) * mask).mean()
    loss.backward()
    return loss.item(), torch.cat([parameter.grad.flatten() for parameter in model.parameters()])


def test_trimmed_pass_has_the_log_probs_loss_and_gradient_of_the_full_one(any_model):
    # Two empty columns on the left, three on the right.
    ids, mask = batch([4, 6, 1], [5, 2, 0], prompt_width=8, completion_width=8)
    columns = used_columns(mask, 8, trimmable_sides(any_model))

    full = log_probs(any_model, ids, mask, 8)
    cut = log_probs(any_model, columns.cut(ids), columns.cut(mask), columns.logits_to_keep)

    assert columns.logits_to_keep == 5
    torch.testing.assert_close(columns.restore(cut), full, atol=1e-5, rtol=1e-5)
    loss, gradients = loss_and_gradients(any_model, full, mask[:, 8:])
    cut_loss, cut_gradients = loss_and_gradients(any_model, columns.restore(cut), mask[:, 8:])
    assert cut_loss == pytest.approx(loss, rel=1e-4)
    assert (cut_gradients - gradients).norm() < 1e-4 * gradients.norm()  # float32 sums of other widths differ by 1e-6


def test_positions_that_are_relative_or_given_lose_both_sides(make_model):
    assert trimmable_sides(make_model("qwen3")) == Sides(left=True, right=True)
    assert trimmable_sides(make_model("gemma3-hybrid")) == Sides(left=True, right=True)
    assert trimmable_sides(make_model("gpt2")) == Sides(left=True, right=True)


def test_positions_that_cannot_be_given_keep_the_left():
    config = BloomConfig(vocab_size=20, hidden_size=8, n_layer=1, n_head=2)

    assert trimmable_sides(BloomForCausalLM(config)) == Sides(left=False, right=True)


@pytest.mark.parametrize(
    "rope",
    [
        {"rope_type": "dynamic", "factor": 2.0, "rope_theta": 10000.0},
        {
            "rope_type": "longrope",
            "factor": 2.0,
            "rope_theta": 10000.0,
            "short_factor": [1.0] * 4,
            "long_factor": [2.0] * 4,
            "original_max_position_embeddings": 14,
        },
    ],
    ids=lambda rope: rope["rope_type"],
)
def test_frequencies_follow_the_tokens_of_a_row_and_not_its_columns(rope):
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=40,
        hidden_size=32,
        intermediate_size=8,
        num_hidden_layers=1,
        num_attention_heads=4,
        max_position_embeddings=14,
        rope_parameters=rope,
        initializer_range=0.3,
    )
    model = LlamaForCausalLM(config).eval()
    # 16 columns, but no row with more than 11 tokens.
    ids, mask = batch([4, 6, 1], [5, 2, 0], prompt_width=8, completion_width=8)
    columns = used_columns(mask, 8, trimmable_sides(model))

    cut = log_probs(model, columns.cut(ids), columns.cut(mask), columns.logits_to_keep)

    assert trimmable_sides(model) == Sides(left=True, right=True)
    torch.testing.assert_close(columns.restore(cut), log_probs(model, ids, mask, 8), atol=1e-5, rtol=1e-5)


def test_used_columns_are_those_with_a_token_in_some_row():
    _, mask = batch([1, 3], [2, 1], prompt_width=5, completion_width=4)

    columns = used_columns(mask, 4, BOTH)

    # Prompt columns 2 to 4, completion columns 5 and 6.
    assert (columns.start, columns.stop, columns.logits_to_keep) == (2, 7, 2)
    assert columns.restore(torch.ones(2, 2)).tolist() == [[1, 1, 0, 0]] * 2


@pytest.mark.parametrize(("sides", "kept"), [(Sides(False, True), (0, 7, 2)), (Sides(False, False), (0, 9, 4))])
def test_sides_that_may_not_be_trimmed_stay(sides, kept):
    _, mask = batch([1, 3], [2, 1], prompt_width=5, completion_width=4)

    columns = used_columns(mask, 4, sides)

    assert (columns.start, columns.stop, columns.logits_to_keep) == kept


def test_one_prompt_and_one_completion_column_always_stay():
    _, no_completion = batch([2], [0], prompt_width=3, completion_width=2)
    _, no_prompt = batch([0], [2], prompt_width=3, completion_width=2)
    _, nothing = batch([0], [0], prompt_width=3, completion_width=2)

    spans = [
        (columns.start, columns.stop, columns.logits_to_keep)
        for columns in (used_columns(mask, 2, BOTH) for mask in (no_completion, no_prompt, nothing))
    ]
    assert spans == [(1, 4, 1), (2, 5, 2), (0, 5, 2)]


def test_rows_are_ordered_within_their_window_only():
    assert order_by_length([1, 9, 5, 2, 7, 8, 3], window=4) == [1, 2, 3, 0, 5, 4, 6]


def test_equal_lengths_keep_their_order():
    assert order_by_length([2, 2, 3, 2], window=4) == [2, 0, 1, 3]


def test_chunks_hold_rows_of_like_length():
    assert length_chunks([1, 9, 5, 2, 7], size=2) == [[1, 4], [2, 3], [0]]
    assert length_chunks([], size=2) == []


def test_gpt2_takes_columns_for_positions_unless_it_is_told(make_model):
    # Why positions are given: the same row two columns further right is another one to learned positions.
    model = make_model("gpt2")
    ids, mask = batch([4], [4], prompt_width=6, completion_width=4)

    columns = model(input_ids=ids, attention_mask=mask).logits[:, -5:-1]
    tokens = model(input_ids=ids[:, 2:], attention_mask=mask[:, 2:]).logits[:, -5:-1]

    assert (columns - tokens).abs().max() > 0.01
