import pytest
from pydantic import ValidationError

from gpocli.builtin.rewards.overlong import EXTENSION, OverlongOptions, is_cut


def punishments(*lengths, finished=None, **options):
    reward = EXTENSION.build(OverlongOptions(**options))
    return reward(completion_ids=[[1] * length for length in lengths], completions=["x"] * len(lengths),
                  finished=finished)  # fmt: skip


# Trap R20, by hand from equation 13 with L_max = 8
@pytest.mark.parametrize(
    ("buffer", "expected"),
    [
        # lengths          1      4      6      8     9
        (0, [0.0, 0.0, 0.0, 0.0, -1.0]),
        (4, [0.0, 0.0, (4 - 6) / 4, (4 - 8) / 4, -1.0]),
        (8, [-1 / 8, -4 / 8, -6 / 8, -8 / 8, -1.0]),
        (9, [-2 / 9, -5 / 9, -7 / 9, -9 / 9, -1.0]),
    ],
)
def test_equation_13(buffer, expected):
    assert punishments(1, 4, 6, 8, 9, finished=[True] * 5, max_tokens=8, buffer=buffer) == expected


def test_a_completion_that_was_cut_at_the_limit_is_beyond_it():
    assert punishments(8, 8, finished=[True, False], max_tokens=8) == [0.0, -1.0]


def test_a_completion_that_was_cut_before_the_limit_is_as_long_as_it_is():
    assert punishments(6, finished=[False], max_tokens=8, buffer=4) == [-0.5]


def test_without_finished_the_end_token_tells():
    reward = EXTENSION.build(OverlongOptions(max_tokens=3, end_token_ids=[2, 5]))
    assert reward(completion_ids=[[1, 1, 2], [1, 1, 5], [1, 1, 1], [1, 1]]) == [0.0, 0.0, -1.0, 0.0]


def test_without_either_the_limit_tells():
    assert punishments(2, 3, max_tokens=3) == [0.0, -1.0]


def test_disabled_it_needs_nothing_and_punishes_nothing():
    assert punishments(1, 10_000, enabled=False) == [0.0, 0.0]
    assert punishments(10_000, enabled=False, max_tokens=8, buffer=4) == [0.0]


def test_enabled_it_needs_a_limit():
    with pytest.raises(
        ValidationError, match=r"overlong needs max_tokens; give the run's own limit of new tokens, or enabled: false"
    ):
        OverlongOptions()


@pytest.mark.parametrize("options", [{"max_tokens": 0}, {"max_tokens": 8, "buffer": -1}, {"max_token": 8}])
def test_wrong_options_are_refused(options):
    with pytest.raises(ValidationError):
        OverlongOptions(**options)


@pytest.mark.parametrize(
    ("tokens", "finished", "ends", "limit", "cut"),
    [
        ([1, 2], True, None, 2, False),
        ([1], False, [1], 2, True),
        ([1], None, None, 2, False),
        ([1, 1], None, None, 2, True),
        ([1, 1], None, [2], 2, True),
        ([1, 2], None, [2, 5], 2, False),
        ([1, 5], None, [2, 5], 2, False),
        ([], None, [2], 2, False),
        ([1, 1], None, [2], None, False),
    ],
)
def test_whether_a_completion_was_cut(tokens, finished, ends, limit, cut):
    assert is_cut(tokens, finished, ends, limit) is cut
