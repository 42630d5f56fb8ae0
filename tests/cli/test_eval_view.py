"""Figures as a person reads them."""

from gpocli.cli.eval_view import _cells, _whole, _word
from gpocli.evaluation.figures import Estimate


def test_lengths_have_one_digit_and_shares_three():
    assert _cells("accuracy", Estimate(0.5, 0.25, 0.75)) == ["0.500", "0.250 to 0.750"]
    assert _cells("mean_length", Estimate(40.04, 30, 50)) == ["40.0", "30.0 to 50.0"]
    assert _whole("tokens_per_right", Estimate(80, 70, 90), sign="+") == "+80.0 (+70.0 to +90.0)"


def test_what_is_no_number_is_a_dash():
    nan = float("nan")
    assert _whole("tokens_per_right", Estimate(nan, nan, nan)) == "- (- to -)"


def test_names_are_words():
    assert [_word(name) for name in ("tokens_per_right", "pass@2")] == ["tokens a right answer", "pass@2"]
