"""Names, signatures and causes of callables that somebody else wrote."""

import functools
import math
import operator

import pytest

from gpocli.contracts.callables import CallSignature, call_signature, callable_name, one_line_cause


def plain(a, b, c, d=1, *, e):
    return None


class Judge:
    def __call__(self, a, b, *, c=0):
        return None

    @classmethod
    def make(cls):
        return cls()

    def rank(self, a):
        return None


def test_names():
    assert callable_name(plain) == "plain"
    assert callable_name(functools.partial(plain, 1)) == "plain"
    assert callable_name(lambda: 0) == "lambda"
    assert callable_name(Judge()) == "Judge"
    assert callable_name(Judge().rank) == "Judge.rank"
    assert callable_name(Judge.make) == "Judge.make"
    assert callable_name(math.sqrt) == "sqrt"
    assert callable_name(operator.itemgetter(0)) == "itemgetter"


def test_signature_after_leading_arguments():
    assert call_signature(plain, leading=2) == CallSignature(
        ("a", "b"), frozenset("cde"), frozenset("ce"), takes_all=False, bound=frozenset()
    )
    assert call_signature(Judge(), leading=2).named == {"c"}


def test_too_few_positional_arguments():
    assert call_signature(plain, leading=5) is None
    assert call_signature(lambda *args: 0, leading=5).leading == ()


def test_missing_and_picked_keywords():
    signature = call_signature(plain, leading=2)
    assert signature.missing({"c": 1}) == ["e"]
    assert signature.pick({"a": 0, "c": 1, "z": 2}) == {"c": 1}


def test_positional_only_names_are_free_for_keywords():
    def free(a, b, /, **kwargs):
        return None

    assert call_signature(free, leading=2).pick({"a": 1, "x": 2}) == {"a": 1, "x": 2}


def test_keywords_that_a_partial_bound_stay_bound():
    signature = call_signature(functools.partial(plain, e=5), leading=2)
    assert signature.pick({"e": 6, "d": 7}) == {"d": 7}
    assert signature.missing({"c": 1}) == []


def test_callable_without_signature_gets_positional_arguments_only():
    signature = call_signature(max, leading=2)
    assert signature is not None
    assert signature.pick({"x": 1}) == {}


def test_cause_is_one_line_with_the_place():
    def fail():
        raise KeyError("two\nlines")

    with pytest.raises(KeyError) as caught:
        fail()
    line = fail.__code__.co_firstlineno + 1
    assert one_line_cause(caught.value) == f"KeyError: 'two\\nlines' (test_callables.py:{line})"
    assert one_line_cause(RuntimeError("a\n  b")) == "RuntimeError: a b"
    assert one_line_cause(RuntimeError()) == "RuntimeError"


def test_syntax_error_names_its_own_place():
    with pytest.raises(SyntaxError) as caught:
        compile("x = (", "mine.py", "exec")
    assert one_line_cause(caught.value) == "SyntaxError: '(' was never closed (mine.py, line 1)"
