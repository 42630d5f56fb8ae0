import pytest
from pydantic import ValidationError

from gpocli.builtin.rewards.length_penalty import EXTENSION, LengthPenaltyOptions


def penalties(*lengths, **options):
    reward = EXTENSION.build(LengthPenaltyOptions(**options))
    return reward(completions=["x"] * len(lengths), completion_ids=[[1] * length for length in lengths])


def test_the_penalty_grows_evenly_between_the_two_lengths():
    # (L - 10) / (30 - 10): 0 at 10, 5/20 at 15, 10/20 at 20, 1 at 30 and beyond
    expected = [0.0, 0.0, -0.25, -0.5, -1.0, -1.0]
    assert penalties(0, 10, 15, 20, 30, 99, target_tokens=10, max_tokens=30) == expected


def test_no_penalty_is_a_plain_zero():
    assert str(penalties(1, target_tokens=5, max_tokens=9)[0]) == "0.0"


def test_the_full_penalty_is_an_option():
    assert penalties(2, 4, max_tokens=4, max_penalty=3.0) == [-1.5, -3.0]


def test_the_text_does_not_matter():
    reward = EXTENSION.build(LengthPenaltyOptions(max_tokens=4))
    chat = [[{"role": "assistant", "content": "x"}]]
    assert reward(completions=chat, completion_ids=[[1, 1]]) == reward(completions=["x"], completion_ids=[[1, 1]])


def test_the_lengths_must_be_in_order():
    with pytest.raises(ValidationError, match=r"max_tokens 8 is not more than target_tokens 8; give at least 9"):
        LengthPenaltyOptions(target_tokens=8, max_tokens=8)


@pytest.mark.parametrize("options", [{"max_tokens": 0}, {"max_tokens": True}, {"target_tokens": -1}, {"target": 3}])
def test_wrong_options_are_refused(options):
    with pytest.raises(ValidationError):
        LengthPenaltyOptions(**options)
