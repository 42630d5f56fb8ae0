"""Columns as the command line takes them."""

import pytest

from gpocli.settings.data import read_columns


def test_columns_are_ours_and_theirs():
    assert read_columns(["prompt=question", "answer=a=b"]) == {"prompt": "question", "answer": "a=b"}


@pytest.mark.parametrize("text", ["prompt", "=question", "prompt="])
def test_both_names_must_be_there(text):
    with pytest.raises(ValueError, match="is not OURS=THEIRS; write --map prompt=question"):
        read_columns([text])
