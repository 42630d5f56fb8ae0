import pytest

from gpocli.errors import SpecError
from gpocli.rollout import SamplingSettings


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"temperature": 0.0},
            "temperature is 0.0: a group of equal completions teaches nothing; write a number above 0",
        ),
        ({"max_new_tokens": 0}, "max_new_tokens is 0: write 1 or more"),
        ({"top_p": 0.0}, "top_p is 0.0: write a number above 0 and at most 1 (1 switches it off)"),
        ({"top_k": -1}, "top_k is -1: write 0 (off) or more"),
        ({"min_p": 1.5}, "min_p is 1.5: write a number from 0 to 1"),
        ({"repetition_penalty": 0.0}, "repetition_penalty is 0.0: write a number above 0 (1 is off)"),
    ],
)
def test_settings_that_cannot_be_meant_are_refused(changes, message):
    with pytest.raises(SpecError) as error:
        SamplingSettings(**({"max_new_tokens": 4, "eos_token_ids": (1,), "pad_token_id": 0} | changes))

    assert str(error.value) == message
