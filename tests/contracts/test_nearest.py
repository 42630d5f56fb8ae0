"""The names that a wrong one may have meant."""

import pytest

from gpocli.contracts.nearest import did_you_mean


@pytest.mark.parametrize(
    ("word", "names", "text"),
    [
        ("lenght", ["length", "random"], "did you mean 'length'?"),
        ("correctt", ["correct", "corrects"], "did you mean 'correct' or 'corrects'?"),
        ("zebra", ["random", "length"], "there are: length, random"),
        ("zebra", [], "there are none"),
    ],
)
def test_did_you_mean(word, names, text):
    assert did_you_mean(word, names) == text
