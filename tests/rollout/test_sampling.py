import pytest
import torch

from gpocli.rollout.sampling import RowStreams, pick_tokens

CPU = torch.device("cpu")


def test_tokens_follow_the_cumulative_probabilities():
    # Probabilities 0.5, 0, 0.25, 0.25: boundaries at 0.5, 0.5, 0.75, 1.
    logits = torch.tensor([0.5, 0.0, 0.25, 0.25]).log().expand(5, 4)
    uniform = torch.tensor([0.0, 0.49, 0.51, 0.76, 1 - 2**-40], dtype=torch.float64)

    assert pick_tokens(logits, uniform).tolist() == [0, 0, 2, 3, 3]


def test_trailing_tokens_of_no_probability_are_never_picked():
    logits = torch.tensor([[0.0, 0.0, -torch.inf, -torch.inf]])

    assert pick_tokens(logits, torch.tensor([1 - 2**-40], dtype=torch.float64)).tolist() == [1]


@pytest.mark.parametrize("vocabulary", [2049, 5000, 32_000])
def test_large_vocabularies_give_the_token_of_one_cumulative_sum(vocabulary):
    generator = torch.Generator().manual_seed(0)
    logits = 3 * torch.randn(200, vocabulary, generator=generator)
    uniform = torch.rand(200, generator=generator, dtype=torch.float64)

    cumulative = torch.softmax(logits, -1).cumsum(-1, dtype=torch.float64)
    expected = (cumulative <= uniform[:, None] * cumulative[:, -1:]).sum(-1)
    assert torch.equal(pick_tokens(logits, uniform), expected)


def test_frequencies_are_the_probabilities():
    probabilities = torch.tensor([0.1, 0.2, 0.3, 0.4])
    streams = RowStreams(seed=1, num_rows=2000, device=CPU)

    tokens = torch.stack([pick_tokens(probabilities.log().expand(2000, 4), streams.column(t)) for t in range(100)])

    # 200,000 draws: one standard deviation is at most 0.0011.
    shares = tokens.flatten().bincount(minlength=4) / tokens.numel()
    assert torch.allclose(shares, probabilities, atol=0.005)


def test_numbers_of_a_row_depend_on_seed_and_row_alone():
    many, few = RowStreams(3, 10, CPU, chunk=4), RowStreams(3, 10, CPU, chunk=4)
    order = [0, 9, 4]
    few.select(order, torch.tensor(order))

    for token in range(9):
        assert torch.equal(many.column(token)[order], few.column(token))


def test_seeds_give_other_numbers():
    columns = [RowStreams(seed, 3, CPU).column(0).tolist() for seed in (0, 1, 2**63, -1)]

    assert len({number for column in columns for number in column}) == 12
