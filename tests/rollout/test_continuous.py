import pytest
import torch

from gpocli.errors import SpecError
from gpocli.rollout import Race, SamplingRequest, SamplingSettings, sample_groups
from gpocli.rollout.continuous import sample_groups_continuously
from gpocli.rollout.race import Board

PROMPTS = [[5, 6, 7], [8, 9, 10, 11, 12], [30]]


def settings(**changes):
    return SamplingSettings(**({"max_new_tokens": 40, "eos_token_ids": (1, 2), "pad_token_id": 0} | changes))


def by_length(keep):
    return Race(keep, lambda row, ids, finished: (-float(len(ids)),), lambda length: (-float(length + 1),))


def test_race_stops_exactly_those_that_cannot_be_kept(hazard_model):
    rollout = sample_groups_continuously(
        hazard_model(0.05), SamplingRequest(PROMPTS, 8, settings(), seed=0, race=by_length(3))
    )

    lengths = [len(ids) for ids in rollout.completion_ids]
    for group in range(3):
        rows = range(group * 8, group * 8 + 8)
        ended = sorted((lengths[row], row) for row in rows if rollout.finished[row])
        assert len(ended) >= 3
        # Whoever was stopped would have ended with at least one token more than it had, behind the third best.
        assert all((lengths[row] + 1, row) > ended[2] for row in rows if rollout.lost[row])
    assert sum(rollout.lost) > 0
    assert rollout.decoded_tokens == sum(lengths)


def test_without_a_race_every_row_ends_or_is_cut(hazard_model):
    rollout = sample_groups_continuously(
        hazard_model(0.05), SamplingRequest(PROMPTS, 4, settings(max_new_tokens=8), seed=0)
    )

    assert rollout.lost == [False] * 12
    assert {len(ids) for ids, end in zip(rollout.completion_ids, rollout.finished, strict=True) if not end} == {8}
    assert [ids[-1] in (1, 2) for ids in rollout.completion_ids] == rollout.finished


def test_tokens_are_those_of_the_lockstep_loop(make_model):
    # top_k=1 leaves no choice, so that the two ways of drawing do not matter.
    model, one_choice = make_model(), settings(top_k=1, max_new_tokens=12)

    rollout = sample_groups_continuously(model, SamplingRequest(PROMPTS, 2, one_choice, seed=0))

    assert (
        rollout.completion_ids == sample_groups(model, SamplingRequest(PROMPTS, 2, one_choice, seed=0)).completion_ids
    )


def test_model_and_generator_are_left_as_they_were(hazard_model):
    model = hazard_model(0.2).train()
    attention = model.config._attn_implementation
    torch.manual_seed(1)
    state = torch.get_rng_state()

    sample_groups_continuously(model, SamplingRequest(PROMPTS, 2, settings(), seed=0))

    assert model.training
    assert model.config._attn_implementation == attention
    assert torch.equal(torch.get_rng_state(), state)


def test_setting_that_would_be_dropped_is_refused(make_model):
    with pytest.raises(SpecError) as error:
        sample_groups_continuously(make_model(), SamplingRequest(PROMPTS, 2, settings(repetition_penalty=1.5), seed=0))

    assert str(error.value) == (
        "transformers' continuous batching would drop RepetitionPenaltyLogitsProcessor: switch that sampling setting "
        "off, or use engine 'race' or 'generate'"
    )


def test_staggered_rows_are_compared_by_tokens_not_by_when_they_end():
    board = Board(1, 3, limit=40, end_token_ids=(1, 2), race=by_length(1))

    # Row 0 ends first, but with five tokens; row 1 has two and may still end with three, row 2 has six.
    assert board.take(1, [5, 5], ended=False) == []
    assert board.take(2, [5] * 6, ended=False) == []
    assert board.take(0, [5, 5, 5, 5, 1], ended=True) == [2]
    assert board.take(1, [5, 5, 1], ended=True) == []
    assert (board.finished, board.lost) == ([True, True, False], [False, False, True])
    assert board.num_running == 0


def test_running_row_is_lost_as_soon_as_its_own_tokens_say_so():
    board = Board(1, 2, limit=40, end_token_ids=(1, 2), race=by_length(1))
    board.take(0, [5, 5, 1], ended=True)

    # With two tokens row 1 could still end with three: a tie, which the earlier row 0 wins.
    assert board.take(1, [5], ended=False) == []
    assert board.take(1, [5, 5], ended=False) == [1]
    # What was under way when it was cancelled is not taken.
    assert board.take(1, [5, 5, 5], ended=False) == []
    assert board.completion_ids[1] == [5, 5]


def test_row_cut_at_the_limit_is_neither_finished_nor_lost():
    board = Board(1, 2, limit=3, end_token_ids=(1, 2), race=by_length(1))
    board.take(1, [5, 5, 1], ended=True)

    assert board.take(0, [5, 5, 5], ended=False) == []
    assert board.take(0, [5, 5, 5], ended=True) == []
    assert (board.finished, board.lost) == ([False, True], [False, False])
