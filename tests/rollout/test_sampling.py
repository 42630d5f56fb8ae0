import pytest
import torch

from gpocli.rollout.sampling import RowStreams, logits_processors, num_levels, pick_tokens
from gpocli.rollout.settings import SamplingSettings

CPU = torch.device("cpu")


def test_tokens_follow_the_cumulative_probabilities():
    # Probabilities 0.5, 0, 0.25, 0.25: boundaries at 0.5, 0.5, 0.75, 1.
    logits = torch.tensor([0.5, 0.0, 0.25, 0.25]).log().expand(5, 4)
    uniform = torch.tensor([[0.0, 0.49, 0.51, 0.76, 1 - 2**-40]], dtype=torch.float64)

    assert pick_tokens(logits, uniform)[0].tolist() == [0, 0, 2, 3, 3]


def test_trailing_tokens_of_no_probability_are_never_picked():
    logits = torch.tensor([[0.0, 0.0, -torch.inf, -torch.inf]])

    assert pick_tokens(logits, torch.tensor([[1 - 2**-40]], dtype=torch.float64))[0].tolist() == [1]


@pytest.mark.parametrize(("vocabulary", "levels"), [(64, 1), (65, 2), (1024, 2), (1025, 3), (151_936, 4)])
def test_levels_hold_at_most_32_blocks(vocabulary, levels):
    assert num_levels(vocabulary) == levels


def test_levels_pick_a_block_then_a_token_in_it():
    # 100 equally likely tokens in two levels: 10 blocks of 10. 0.35 falls into block 3, 0.99 on its last token.
    uniform = torch.tensor([[0.35, 0.0], [0.99, 0.05]], dtype=torch.float64)

    assert pick_tokens(torch.zeros(2, 100), uniform)[0].tolist() == [39, 0]


@pytest.mark.parametrize("vocabulary", [65, 1000, 5003])
def test_frequencies_in_a_large_vocabulary_are_the_probabilities(vocabulary):
    # Half of the mass on the last token, a quarter on the first, the rest spread evenly.
    probabilities = torch.full((vocabulary,), 0.25 / (vocabulary - 2))
    probabilities[0], probabilities[-1] = 0.25, 0.5
    logits = probabilities.log().expand(400, vocabulary)
    streams = RowStreams(1, 400, CPU, levels=num_levels(vocabulary))

    tokens = torch.stack([pick_tokens(logits, streams.column(t))[0] for t in range(100)]).flatten()

    assert int(tokens.max()) == vocabulary - 1
    # 40,000 draws: one standard deviation is at most 0.0025; the mean of the evenly spread tokens is their middle.
    shares = tokens.bincount(minlength=vocabulary) / len(tokens)
    assert abs(shares[0] - 0.25) < 0.01
    assert abs(shares[-1] - 0.5) < 0.01
    middle = tokens[(tokens > 0) & (tokens < vocabulary - 1)].double().mean()
    assert abs(middle / (vocabulary - 1) - 0.5) < 0.015


def test_frequencies_are_the_probabilities():
    probabilities = torch.tensor([0.1, 0.2, 0.3, 0.4])
    streams = RowStreams(seed=1, num_rows=2000, device=CPU)

    tokens = torch.stack([pick_tokens(probabilities.log().expand(2000, 4), streams.column(t))[0] for t in range(100)])

    # 200,000 draws: one standard deviation is at most 0.0011.
    shares = tokens.flatten().bincount(minlength=4) / tokens.numel()
    assert torch.allclose(shares, probabilities, atol=0.005)


def test_numbers_of_a_row_depend_on_seed_and_row_alone():
    many, few = RowStreams(3, 10, CPU, chunk=4), RowStreams(3, 10, CPU, chunk=4)
    order = [0, 9, 4]
    few.select(order, torch.tensor(order))

    for token in range(9):
        assert torch.equal(many.column(token)[:, order], few.column(token))


def test_seeds_give_other_numbers():
    columns = [RowStreams(seed, 3, CPU).column(0)[0].tolist() for seed in (0, 1, 2**63, -1)]

    assert len({number for column in columns for number in column}) == 12


@pytest.mark.parametrize(
    ("settings", "left"),
    [
        # Of the two likeliest 0.4 / 0.7 = 0.57 is enough for half; before the cut it takes both.
        ({"top_k": 2, "top_p": 0.5}, [0]),
        # Squared they are 16, 9, 4 and 1 of 30, and 0.53 is enough for half.
        ({"temperature": 0.5, "top_p": 0.5}, [0]),
        # Squared the second is 0.56 as likely as the first, before 0.75.
        ({"temperature": 0.5, "min_p": 0.6}, [0]),
        # Half takes two, and min_p leaves them; the other way round 0.57 is enough for half.
        ({"top_p": 0.5, "min_p": 0.6}, [0, 1]),
        # Token 0 was there: its logit is doubled, so it is as likely as 0.16, and token 1 is the likeliest.
        ({"repetition_penalty": 2.0, "top_k": 1}, [1]),
    ],
    ids=str,
)
def test_settings_act_in_the_order_of_generate(settings, left):
    processors = logits_processors(SamplingSettings(8, (9,), 0, **settings))
    logits = processors(torch.tensor([[0]]), torch.tensor([[0.4, 0.3, 0.2, 0.1]]).log())
    assert logits[0].isfinite().nonzero().flatten().tolist() == left


def test_settings_that_are_off_are_no_processors():
    assert len(logits_processors(SamplingSettings(8, (9,), 0))) == 0
