import pytest

from gpocli.maths.extraction import gold_answer, stated_answer


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        (r"so \boxed{5}.", "5"),
        (r"\boxed{\frac{1}{2}} of it", r"\frac{1}{2}"),
        (r"\boxed{31} then \boxed{32}", "32"),
        (r"\boxed{\boxed{5}}", "5"),
        (r"\boxed 5 done", "5"),
        (r"\boxed{}", ""),
        (r"\boxed{5} then \boxed{6", "5"),
        (r"\boxed{6", None),
        (r"} { \boxed{a\{b\}}", r"a\{b\}"),
        (r"\boxed{5} but the answer is 6", "5"),
        ("<answer>5</answer> and <answer>6</answer>!", "6"),
        ("</answer>5\nx", None),
        ("The answer is 5.", "5"),
        ("The answer is 5. I hope it is correct.", "5"),
        ("The final answer is: $\\frac12$\nBye", "$\\frac12$"),
        ("The answer to this question is 3.5 because of that", "3.5"),
        ("The answer is 5, so we are done", "5"),
        ("Answer: 5\nNote: 6", "5"),
        ("Answer: **5**", "**5**"),
        ("**Answer:** 5", "5"),
        ("answer = 5", "5"),
        ("The answers are 5 and 6.", "5 and 6"),
        ("### Final Answer\n\n5\n", "5"),
        ("**Final Answer**\n5", "5"),
        ("The answer is\n\\[\n5\n\\]\nas said", "\\[\n5\n\\]"),
        ("The answer is 4. No, the answer is 5.", "5"),
        ("3 and 4\n#### 7", "7"),
        ("#### Step 1\nadd", None),
        ("9 * 2 = 18 #### 18", "18"),
        ("##### 18 steps\nadd", None),
        ("Q: 6*7?\nA: 42", "42"),
        ("A: 42\nB: 43", None),
        ("We are not sure of it and go on.", None),
        ("  58 apples ", "58 apples"),
        ("two\nlines with 5", None),
        ("$$\n5\n$$", "$$\n5\n$$"),
        ("", None),
        ("x" * 301, None),
    ],
)
def test_where_an_answer_is_found(text, answer):
    assert stated_answer(text) == answer


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("first 3\nthen 4 left", "4"),
        ("a\nso 16-4", "4"),
        ("a\ncosts $1,250.50 or -3/4", "-3/4"),
        ("no\nnumber", None),
        ("a 7\nThe answer is 5.", "5"),
        ("so he has 3 + 4 = 7 apples.", "7"),
        ("A: She has 18 apples left.", "18"),
        ("The answer is that he has 7 apples.", "7"),
        ("18 apples", "18 apples"),
    ],
)
def test_the_last_number_can_be_asked_for(text, answer):
    assert stated_answer(text, last_number=True) == answer


@pytest.mark.parametrize(
    ("gold", "answer"),
    [("7", "7"), ("3+4 is 7.\n#### 7", " 7"), (r"Thus $\boxed{7}$.", "7"), ("the answer is 7", "the answer is 7")],
)
def test_gold_answers_are_whole_cells_or_marked(gold, answer):
    assert gold_answer(gold) == answer
