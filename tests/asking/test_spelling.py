"""Text comes a piece at a time, and never half a character."""

from hypothesis import given
from hypothesis import strategies as st

from gpocli.asking.spelling import Spelling


def decode(tokens):
    """Tokens that are bytes, as those of byte-level tokenizers may be."""
    return bytes(tokens).decode(errors="replace")


def test_half_a_character_waits_for_the_other_half():
    spelling, tokens = Spelling(decode), list("aß".encode())
    assert [spelling.more(tokens[:1]), spelling.more(tokens[:2]), spelling.more(tokens)] == ["a", "", "ß"]


def test_what_stays_half_is_told_at_the_end():
    spelling, tokens = Spelling(decode), list("aß".encode())[:2]
    assert (spelling.more(tokens), spelling.more(tokens), spelling.more(tokens, is_last=True)) == ("a", "", "\ufffd")


@given(st.text(max_size=20), st.sets(st.integers(0, 60)))
def test_the_pieces_are_the_whole(text, looks):
    tokens, spelling = list(text.encode()), Spelling(decode)
    pieces = [spelling.more(tokens[:look]) for look in sorted(looks) if look < len(tokens)]
    assert "".join([*pieces, spelling.more(tokens, is_last=True)]) == text
