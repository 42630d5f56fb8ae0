"""What `gpo data` found, as text and as JSON."""

import pytest

from gpocli.checks.data_report import DataReport, Need, Preview
from gpocli.cli.data_view import preview_as_dict, print_preview, print_reports, report_as_dict
from gpocli.data import gather
from gpocli.data.survey import Survey

ROWS = gather("a.jsonl", [(1, {"prompt": "2+2=?", "answer": "4"}), (2, {"prompt": "1+1=?", "answer": "x" * 200})])


def report(*needs, rows=ROWS, purpose="train"):
    kinds = {"prompt": {"text": 2}, "answer": {"text": 1, "missing": 1}}
    return DataReport(purpose, Survey("a.jsonl", rows=rows, total=3, digest="ab12", kinds=kinds), list(needs))


def preview(limit=4):
    return Preview(ROWS, ["2+2=?", "1+1=?"], [5, 3], limit, "said so")


def test_a_report_counts_rows_and_kinds(capsys):
    print_reports([report(Need("exact", ("answer",)))])
    assert capsys.readouterr().out.splitlines() == [
        "a.jsonl: 3 rows, 2 with a usable prompt (plain text)",
        "sha256 ab12",
        "column  text  missing",
        "prompt     2        0",
        "answer     1        1",
        "reward exact needs 'answer': there",
    ]


def test_rows_that_cannot_be_used_are_told(capsys):
    print_reports([report(rows=None), report(purpose="eval")])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "a.jsonl: 3 rows, not fit to train on"
    assert "a.jsonl (to evaluate on): 3 rows, 2 with a usable prompt (plain text)" in lines


@pytest.mark.parametrize(
    ("need", "line"),
    [
        (Need("r", ()), "reward r needs no column"),
        (Need("r", ("a",), missing=("a",)), "reward r needs 'a': not there"),
        (Need("r", ("a", "b"), missing=("b",)), "reward r needs 'a', 'b': 'b' not there"),
        (Need("r", ("a",), unread=1200), "reward r needs 'a': there, 1,200 cannot be read"),
    ],
)
def test_what_a_reward_needs(capsys, need, line):
    print_reports([report(need)])
    assert capsys.readouterr().out.splitlines()[-1] == line


def test_a_preview_shows_prompts_columns_and_tokens(capsys):
    print_preview(preview(), [], 2)
    assert capsys.readouterr().out.splitlines() == [
        "a.jsonl: 2 rows; columns: prompt, answer",
        "",
        "a.jsonl:1, 5 tokens",
        "2+2=?",
        '  answer: "4"',
        "",
        "a.jsonl:2, 3 tokens",
        "1+1=?",
        f'  answer: "{"x" * 96}...',
        "",
        "tokens a prompt: 3 at least, 4 in the median, 5 at most",
        "limit: 4 (said so); 1 of 2 prompts over it (50.0%)",
    ]


def test_a_prompt_that_nobody_would_read_is_shown_by_its_ends(capsys):
    long = Preview(ROWS, ["a" * 5000 + "b" * 10**6 + "c" * 5000, "1+1=?"], [9, 3], 4, "said so", frozenset([0]))
    print_preview(long, [], 1)
    lines = capsys.readouterr().out.splitlines()
    assert lines[2:4] == ["a.jsonl:1, over 9 tokens", f"{'a' * 5000}... (1,000,000 characters) ...{'c' * 5000}"]
    assert "tokens a prompt: 3 at least, 6 in the median, over 9 in the longest" in lines


def test_a_preview_without_a_limit(capsys):
    print_preview(preview(limit=None), [], 0)
    assert capsys.readouterr().out.splitlines()[-1] == "limit: none"


def test_a_report_as_json_words_faults_as_told():
    found = report(Need("r", ("a",), missing=("a",), unread=2))
    found.survey.faults.append("no prompt")
    assert report_as_dict(found, str.upper) == {
        "purpose": "train",
        "source": "a.jsonl",
        "rows": 3,
        "usable": 2,
        "chat": False,
        "sha256": "ab12",
        "columns": {"prompt": {"text": 2}, "answer": {"text": 1, "missing": 1}},
        "rewards": [{"name": "r", "needs": ("a",), "missing": ("a",), "unread": 2}],
        "faults": ["NO PROMPT"],
        "notes": [],
        "named": {},
    }


def test_a_preview_as_json_has_as_many_prompts_as_asked():
    shown = preview_as_dict(preview(), [], 1, str)
    assert shown["prompts"] == [
        {"place": "a.jsonl:1", "text": "2+2=?", "tokens": 5, "is_at_least": False, "columns": {"answer": "4"}}
    ]
    assert (shown["tokens"], shown["over"]) == ({"least": 3, "median": 4.0, "most": 5}, 1)


def test_a_reason_without_a_limit_is_none():
    assert preview_as_dict(preview(limit=None), [], 0, str)["reason"] is None
