import io
import json
import random
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from pydantic import ValidationError
from ruamel.yaml import YAML

from gpocli.builtin.rewards.accuracy import EXTENSION, AccuracyOptions, unparsable_golds
from gpocli.errors import SpecError
from gpocli.maths import algebra
from tests.builtin.rewards.equalities import PAIRS, table

DATA = Path(__file__).parents[4] / "shared" / "data"


def score(gold, completion, prompt="p", **options):
    return EXTENSION.build(AccuracyOptions(**options))(completions=[completion], prompts=[prompt], answer=[gold])[0]


def logged(gold, completions):
    """The scores, and what a batch logs."""
    shares = {}
    reward = EXTENSION.build(AccuracyOptions())
    return reward(completions=completions, answer=[gold] * len(completions), log_metric=shares.__setitem__), shares


# What equals what: the documented table, and traps R25, R30, R32


def test_the_page_has_the_table_that_is_tested():
    assert table() in (Path(__file__).parents[3] / "docs" / "maths.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.gold)
def test_the_table(pair):
    golds = [pair.gold] * len(pair.equal)
    reward = EXTENSION.build(AccuracyOptions())
    assert reward(completions=list(pair.equal), answer=golds) == [1.0] * len(golds)
    golds = [pair.gold] * len(pair.different)
    assert reward(completions=list(pair.different), answer=golds) == [0.0] * len(golds)


@pytest.mark.parametrize(
    ("gold", "answer"),
    [
        ("2x+y=0", "5x-3y=0"),
        ("1/3^50", "1/3^49"),
        (r"1-1/\mathrm{e}", r"1+1/\mathrm{e}"),
        ("1,2", "(1,2)"),
        ("10:30", "10"),
        ("5 cm", "5 m"),
        ("0.1", "0.10000001"),
        ("(0,2)", "(0,2.5)"),
        ("+-9", "9"),
        ("1,2", "1,2,2"),
        (r"\{1,2\}", r"\{1,2,3\}"),
        ("2x+y=0", "0"),
        (r"\sqrt{x^2}", "x"),
        ("x=1,y=2", "x=2,y=1"),
        ("x=1,y=2", "2,1"),
        ("2k", "2"),
        ("5 abc", "5"),
        ("5", "5 or 6"),
    ],
)
def test_different_answers_never_compare_equal(gold, answer):
    assert score(gold, answer) == 0.0
    assert score(answer, gold) == 0.0
    assert score(gold, f"\\boxed{{{answer}}}") == 0.0


@pytest.mark.parametrize(
    ("gold", "answer"),
    [
        (r"\sqrt{3+2\sqrt{2}}", r"1+\sqrt{2}"),
        (r"\sin^2 x + \cos^2 x", "1"),
        ("(x+1)^2", "x^2+2x+1"),
        (r"\frac{x^2-1}{x-1}", "x+1"),
        ("0.1x", r"\frac{x}{10}"),
        ("(1+i)^2", "2i"),
        ("2^10", "1024"),
        ("2**10", "1024"),
        (r"\sin 30^\circ", r"\frac12"),
        (r"\log_2 8", "3"),
        ("x=1,y=2", "y=2, x=1"),
        ("x=1 or x=-2", "-2, 1"),
        (r"1 \pm \sqrt{19}", r"1-\sqrt{19}, 1+\sqrt{19}"),
        ("-1 < x < 2", "2 > x > -1"),
        (r"10\sqrt{2}\text{ cm}", r"10\sqrt2"),
        (r"x \in [-2,7]", "[-2, 7]"),
        (r"\frac{270}7\text{ degrees}", r"\frac{270}{7}^\circ"),
        (r"864 \mbox{ inches}^2", "864 square inches"),
        ("x = 1,250", "1250"),
        (r"12,000\pi", r"12000\pi"),
        (r"11,\! 111,\! 111,\! 100", "11111111100"),
    ],
)
def test_equal_answers_are_found(gold, answer):
    assert score(gold, answer) == 1.0


@pytest.mark.parametrize(
    "answer", ["5 plus four", "five", "5 to 6", "5/0", "5!", "5^2", "-5", "x", "5x", "5_8", "5:00"]
)
def test_what_is_not_five_is_not_five(answer):
    assert score("5", answer) == 0.0


# Finding the answer


@pytest.mark.parametrize("text", ["Answer: **58**", "**Answer:** 58", "`58`", "58.", "58 apples", "about 58 %"])
def test_markdown_does_not_matter(text):  # trap R29
    assert score("58", text) == 1.0


def test_the_last_of_two_boxes_wins():  # trap R24
    assert score("31", r"\boxed{31} and again \boxed{31}") == 1.0
    assert score("31", r"\boxed{31}, no: \boxed{32}") == 0.0
    assert score("32", r"\boxed{31}, no: \boxed{32}") == 1.0


@pytest.mark.parametrize(
    ("gold", "completion", "expected"),
    [
        ("#### -4", "-4", 1.0),
        ("#### -4", "4", 0.0),
        ("#### -4", "- 4", 1.0),
        ("#### -4", "(4)", 0.0),
        ("He eats 3 of 7.\n#### 4", "so 4\n#### 4", 1.0),
        (r"Thus $x = \boxed{\frac{1}{2}}$.", "0.5", 1.0),
    ],
)
def test_gold_answers_inside_a_solution(gold, completion, expected):
    assert score(gold, completion) == expected


@pytest.mark.parametrize(
    ("completion", "expected"),
    [
        ("<think>\\boxed{5}</think>\\boxed{6}", 1.0),
        ("<think>\\boxed{6}</think>\\boxed{5}", 0.0),
        ("\\boxed{5}</think>\\boxed{6}", 1.0),
        ("<think>\\boxed{6}", 0.0),
        ("<think>a</think>5<think>6", 0.0),
    ],
)
def test_only_what_follows_the_thinking_counts(completion, expected):
    assert score("6", completion) == expected


def test_a_completion_cut_while_thinking_is_wrong_where_the_prompt_opens_the_block():
    assert score("46", "12+34=46", opening="prompt") == 0.0
    assert score("46", "12+34=46</think>46", opening="prompt") == 1.0
    assert score("46", "12+34=46", prompt="12+34=?<think>") == 0.0


def test_a_number_in_a_sentence_is_no_answer_unless_asked_for():
    text = "She sold 4 of them.\nSo she has 18 apples left."
    assert score("18", text) == 0.0
    assert score("18", text, last_number=True) == 1.0
    assert score("4", text, last_number=True) == 0.0


def test_plain_and_chat_are_alike():  # trap R14
    for text in ("\\boxed{6}", "\\boxed{7}", "<think>6", "<think>7</think>6"):
        assert score("6", [{"role": "assistant", "content": text}]) == score("6", text)


# Gold answers that cannot be read (trap R18)


@pytest.mark.parametrize("gold", ["", "  ", "see text", "1/0", "\frac{1}{2}", "\text{x}", "2 +", None, True, ["6"]])
@pytest.mark.parametrize("completion", ["6", "see text", "", "\\boxed{}", "\\boxed{1}"])
def test_an_unreadable_gold_answer_is_none(gold, completion):
    assert score(gold, completion) is None


@pytest.mark.parametrize("gold", ["6", "x+1", r"\frac{1}{2}", 6, 0.5])
@pytest.mark.parametrize("completion", ["7", "", "see text", "\\boxed{}", "x"])
def test_a_readable_gold_answer_never_pays_by_default(gold, completion):
    assert score(gold, completion) == 0.0


def test_unparsable_golds_are_counted_when_data_is_loaded():
    golds = ["6", "x+1", "", "see text", r"\frac{1}{2}", "\frac{1}{2}", "x+", None, "#### 4", "see text", 7]
    assert unparsable_golds(golds) == [2, 3, 5, 6, 7, 9]


def test_backslashes_survive_json_and_single_quoted_yaml():  # trap R32
    golds = [
        json.loads('{"answer": "\\\\frac{3}{8}"}')["answer"],
        YAML(typ="safe").load(io.StringIO("answer: '\\frac{3}{8}'"))["answer"],
        YAML(typ="safe").load(io.StringIO("answer: \\frac{3}{8}"))["answer"],
        YAML(typ="safe").load(io.StringIO('answer: "\\\\frac{3}{8}"'))["answer"],
    ]
    assert [score(gold, ".375") for gold in golds] == [1.0] * 4


def test_a_backslash_eaten_by_yaml_makes_the_gold_answer_unreadable():
    gold = YAML(typ="safe").load(io.StringIO('answer: "\\frac{3}{8}"'))["answer"]
    assert gold == "\x0crac{3}{8}"
    assert score(gold, ".375") is None
    assert unparsable_golds([gold]) == [0]


# Hostile answers (trap R28)

HOSTILE = {
    "tower": r"9^(9^(9^9))",
    "power": r"\boxed{9^{9^{9}}}",
    "brackets": r"\boxed{" + "(" * 5000 + "}",
    "polynomial": r"\boxed{" + "+".join(f"x^{{{power}}}" for power in range(6000)) + "}",
    "factorial": r"\boxed{(10^9)!}",
    "digits": r"\boxed{" + "9" * 1000 + "}",
    "exponent": "1e99999",
}


@pytest.mark.parametrize("answer", HOSTILE.values(), ids=HOSTILE)
def test_hostile_answers_are_wrong_and_no_worker_dies_of_them(answer):  # None would be a way out of being wrong
    score("5", r"\sqrt{25}")  # so that the worker runs
    worker = algebra._shared._worker
    assert logged("5", [answer, "5"]) == ([0.0, 1.0], {"accuracy/unreadable": 0.5, "accuracy/unstated": 0.0})
    assert worker.is_alive


SLOW = r"\boxed{\binom{10^9}{500000000}}"
"""Takes for ever: a test that uses it ends because it is stopped."""


def test_a_slow_comparison_is_given_up_and_the_run_goes_on():
    patient, hasty = [EXTENSION.build(AccuracyOptions(row_seconds=seconds)) for seconds in (600.0, 0.3)]
    assert patient(completions=[r"\sqrt{4}"], answer=["2"]) == [1.0]
    assert hasty(completions=[r"\sqrt{4}", SLOW, SLOW, "3"], answer=["2", "5", "5", "3"]) == [1.0, 0.0, 0.0, 1.0]
    assert patient(completions=[r"\sqrt{9}"], answer=["3"]) == [1.0]


def test_what_a_batch_has_no_time_for_is_missing(caplog):
    reward = EXTENSION.build(AccuracyOptions(row_seconds=600.0, batch_seconds=1e-9))
    unseen = [r"\sqrt{25}+0z", "5", "6"]
    assert reward(completions=unseen, answer=["5"] * 3) == [None, 1.0, 0.0]
    assert caplog.messages == [
        "accuracy: 1 of 3 answers were not compared within batch_seconds, 1e-09, and count as missing"
    ]


def test_a_dear_row_costs_only_itself():
    dear = [rf"\boxed{{\int_0^1 \sin(x^{{x}}+{number}) dx}}" for number in range(3)]
    right = [rf"\boxed{{\frac{{{number}}}{{\sqrt{number}}}}}" for number in (3, 5, 7)]
    golds = ["42"] * 3 + [r"\sqrt3", r"\sqrt5", r"\sqrt7"]
    reward = EXTENSION.build(AccuracyOptions(row_seconds=0.2, batch_seconds=600.0))
    assert reward(completions=dear + right, answer=golds) == [0.0] * 3 + [1.0] * 3


def test_a_gold_answer_that_is_too_dear_is_missing():
    reward = EXTENSION.build(AccuracyOptions(row_seconds=0.2, batch_seconds=600.0))
    assert reward(completions=["5", ""], answer=[r"\int_0^1 \sin(x^{x}+9) dx"] * 2) == [None, None]


def test_what_states_nothing_is_counted():
    assert logged("5", ["a\nb", "5", r"\boxed{?}", "c\nd"]) == (
        [0.0, 1.0, 0.0, 0.0],
        {"accuracy/unreadable": 0.25, "accuracy/unstated": 0.5},
    )
    assert logged(None, ["a\nb"]) == ([None], {})


def test_completions_that_state_nothing_for_some_steps_are_told_once(caplog):
    reward = EXTENSION.build(AccuracyOptions())
    for _ in range(5):
        reward(completions=["a\nb"] * 4, answer=["5"] * 4)
    assert caplog.messages == [
        "accuracy: more than 90 % of the completions of 3 steps state no answer; read are \\boxed{x}, "
        '<answer>x</answer>, "the answer is x", "#### x" and a bare x: ask for one of them in the prompt, or set the '
        "option last_number"
    ]


def test_it_works_off_the_main_thread():
    results = []
    patient, hasty = [EXTENSION.build(AccuracyOptions(row_seconds=seconds)) for seconds in (600.0, 0.3)]

    def work():
        known = patient(completions=[r"\frac{2}{\sqrt2}"], answer=[r"\sqrt{2}"])
        results.append(known + hasty(completions=[SLOW, "3"], answer=["5", "3"]))

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [[1.0, 0.0, 1.0]] * 2


# Cost

NUMBERS_ONLY = """
import sys, threading
from gpocli.builtin.rewards.accuracy import EXTENSION, unparsable_golds
reward = EXTENSION.build(EXTENSION.options())
answers = ["\\\\boxed{7}", "The answer is 8.", "east", "(1, 2)", "1/2"]
assert reward(completions=answers, answer=["7", "7", "east", "(1,2)", "0.5"]) == [1.0, 0.0, 1.0, 1.0, 1.0]
assert unparsable_golds(["7", "", "1/2"]) == [1]
heavy = {"torch", "transformers", "trl", "datasets", "pandas", "numpy", "sympy", "math_verify"} & set(sys.modules)
print(sorted(heavy), threading.active_count())
"""


def test_numbers_need_no_algebra():
    run = subprocess.run([sys.executable, "-c", NUMBERS_ONLY], capture_output=True, text=True, check=True)
    assert run.stdout == "[] 1\n"


LONG = 1_000_000
"""Characters of a text that takes hours where the time grows with the square of the length."""


@pytest.mark.parametrize("unit", ["\\boxed{", "answer is ", "<answer>", "#### 5\n", "{", "<think>", "**", "$"])
def test_long_completions_do_not_hang(unit):
    score("5", unit * (LONG // len(unit)))


# Options


def test_a_missing_column_is_named():
    with pytest.raises(SpecError, match=r'^reward "accuracy" needs the data column "solution"'):
        EXTENSION.build(AccuracyOptions(answer_column="solution"))(completions=["1"], answer=["1"])


@pytest.mark.parametrize("options", [{"answer": "x"}, {"row_seconds": 0}, {"last_number": "yes"}, {"opening": "open"}])
def test_wrong_options_are_refused(options):
    with pytest.raises(ValidationError):
        AccuracyOptions(**options)


# Real data


def golds_of(name):
    path = DATA / name
    if not path.exists():
        pytest.skip(f"{name} is not here")
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line)["answer"] for line in lines]


@pytest.mark.parametrize("name", ["math500.jsonl", "gsm8k_2000.jsonl"])
@pytest.mark.parametrize("form", ["\\boxed{%s}", "%s", "The answer is $%s$.", "**Answer:** %s\n"])
def test_every_real_answer_equals_itself(name, form):
    golds = golds_of(name)
    assert unparsable_golds(golds) == []
    scores = EXTENSION.build(AccuracyOptions())(completions=[form % gold for gold in golds], answer=golds)
    assert [gold for gold, got in zip(golds, scores, strict=True) if got != 1.0] == []


SPELLINGS = [
    {r"\frac14", r"\frac{1}{4}"},
    {r"2 \sqrt{5}", r"2\sqrt{5}"},
    {"-2,1", "1,-2"},
    {"5", "x=5"},
    {"36", r"\$36"},
]


def differ_only_in_spelling(gold, answer):
    return {gold, answer} in SPELLINGS or gold.removesuffix(r"^\circ") == answer.removesuffix(r"^\circ")


def test_different_real_answers_are_different():
    golds = list(dict.fromkeys(golds_of("math500.jsonl")))
    draw = random.Random(0)
    pairs = [draw.sample(golds, 2) for _ in range(4000)]
    scores = EXTENSION.build(AccuracyOptions(batch_seconds=600))(
        completions=[f"\\boxed{{{answer}}}" for _, answer in pairs], answer=[gold for gold, _ in pairs]
    )
    assert None not in scores
    matched = [pair for pair, got in zip(pairs, scores, strict=True) if got == 1.0]
    assert [pair for pair in matched if not differ_only_in_spelling(*pair)] == []


def test_trusted_formulas_need_no_algebra():
    assert unparsable_golds(["7", "see text", r"\frac{\sqrt{3}}{2}", None], trust_formulas=True) == [1, 3]


# Choices


@pytest.mark.parametrize("gold", ["C", "(C)", "C. 42"])
@pytest.mark.parametrize(
    ("completion", "reward"),
    [
        (r"So \boxed{\textbf{(C)}\ 42}", 1.0),
        ("The answer is C. 42", 1.0),
        ("Answer: C) 42", 1.0),
        (r"\boxed{B}", 0.0),
        ("The answer is (B) 42.", 0.0),
        (r"\boxed{A. 1, B. 2, C. 42}", 0.0),  # all of them
        ("I think about it.\nAnd again.", 0.0),
    ],
)
def test_choices_are_compared_by_their_letter(gold, completion, reward):
    assert score(gold, completion, choices=True) == reward


def test_a_gold_answer_that_is_no_choice_is_compared_as_ever():
    assert score("42", r"\boxed{42.0}", choices=True) == 1.0
    assert score("", r"\boxed{42}", choices=True) is None
