"""Counting right answers."""

import pytest

from examples.embedded_model.measure import is_right


@pytest.mark.parametrize(
    ("completion", "right"),
    [
        ("<think>so 58</think>58", True),
        ("<think>so 58</think>\n 58 ", True),
        ("so 57</think>wait</think>58", True),  # what follows the last end counts
        ("<think>so 58</think>59", False),
        ("<think>so 58</think>58 58", False),
        ("<think>so 58</think>", False),
        ("<think>so 58", False),  # cut before the end of thinking
        ("58", False),
    ],
)
def test_is_right(completion, right):
    assert is_right(completion, "58") is right
