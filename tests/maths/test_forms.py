"""What answers can be, as far as it has rules of its own."""

import pytest

from gpocli.maths.forms import Collection, Word


@pytest.mark.parametrize(("text", "key"), [("East", "east"), ("Ab", "Ab"), ("C", "C")])
def test_capitals_count_in_symbols_and_choices_alone(text, key):
    assert Word(text, plain=True).key == key


@pytest.mark.parametrize(
    ("text", "plain", "prose"), [("New York", True, True), ("New York", False, False), ("a", True, False)]
)
def test_several_bare_words_are_prose(text, plain, prose):
    assert Word(text, plain).is_prose == prose


@pytest.mark.parametrize(("opening", "ordered"), [("(", True), ("[", True), ("{", False), ("", False)])
def test_pairs_and_intervals_have_an_order(opening, ordered):
    assert Collection(opening, "", ()).ordered == ordered
