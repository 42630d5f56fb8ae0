"""The letter that an answer chooses, and what chooses none."""

import pytest

from gpocli.maths.choice import choice_letter

C = [
    "C", "(C)", "[C]", "C.", "C. 42", "C) Paris", "c", "(c)", "c)", " C\n", "$C$", "**C**", "**(C)** Paris",
    r"\text{C}", r"\textbf{(C)}\ 42", r"\mathrm{C}", "option C", "Option C: Paris", "choice (C)", "Answer: C",
    "C: the one of 1999",
]  # fmt: skip
NONE = [
    "", "42", "Cat", "A cat", "C 42", "CO", "E = mc", "e.g. 4", "A. 4 or B. 5", "(A) and (B)", "A or B", "A, B",
    "A:1, B:2", "[A] [B]", "the answer is C", "C. but maybe (D)", "not C", "3 (C)", "C. " + "x" * 2000, "Ｃ",
]  # fmt: skip


@pytest.mark.parametrize("text", C)
def test_a_choice(text):
    assert choice_letter(text) == "C"


@pytest.mark.parametrize("text", NONE)
def test_no_choice_or_several(text):
    assert choice_letter(text) is None
