import pytest

from gpocli.maths.phrases import after_last_phrase, after_letter, displayed


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("The answer is 42!", "42"),
        ("The answer is 5! = 120.", "5! = 120"),
        ("The answer is $42!$", "$42!$"),
        ("The answer would be 42.", "42"),
        ("I do not think the answer is 42.", ""),
        ("I don't think the answer is 42.", ""),
        ("The answer is 42. I doubt that the answer is 41.", "42"),
        ("It is not hard to see that the answer is 42.", "42"),
        ("This is not it, so the answer is 42.", "42"),
        ("The wrong answer is 42.", ""),
        ("Is it that the answer is 42?", ""),
        ("nothing of the kind", ""),
    ],
)
def test_what_is_denied_or_asked_is_not_stated(text, answer):
    assert after_last_phrase(text) == answer


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("A: 42", "42"),
        ("Q: 1\n**A:** 42", "42"),
        ("Ans: 4.", "4"),
        ("A: 1\nB: 2", ""),
        ("AA: 1", ""),
        ("A:\nB: 1", ""),
    ],
)
def test_a_line_may_state_it(text, answer):
    assert after_letter(text) == answer


@pytest.mark.parametrize(("text", "formula"), [("$$5$$ x", "$$5$$"), (r"\[5\]", r"\[5\]"), ("$$5", None), ("5", None)])
def test_displayed_formulas_are_whole(text, formula):
    assert displayed(text) == formula
