"""How hard prompts are, counted by hand and against all choices of answers."""

import itertools
import json
from pathlib import Path

import pytest

from gpocli.data.load import load_rows
from gpocli.errors import SpecError
from gpocli.measuring.difficulty import Difficulty, write_rows
from gpocli.measuring.measure import measure
from gpocli.settings.data import DataSpec
from tests.measuring.made_up import plan_of, record, write_data


@pytest.fixture
def found(tmp_path, monkeypatch):
    """Twenty prompts, two answers each: five both right, ten one of two, five none; nobody can grade the last."""
    monkeypatch.chdir(tmp_path)
    plan = plan_of(write_data(Path("data.jsonl")))
    record(plan.folder(), ungraded=19)
    return measure(plan, None, None)


def test_the_share_of_right_answers(found):
    assert Difficulty.of(found).rates == [1.0] * 5 + [0.5] * 10 + [0.0] * 4 + [None]


def test_prompts_within_bounds_both_included(found):
    difficulty = Difficulty.of(found)
    assert difficulty.within(0.5, 1.0) == list(range(15))
    assert difficulty.within(0.1, 0.9) == list(range(5, 15))
    assert difficulty.within(0.0, 1.0) == list(range(19))


def test_flat_groups_are_those_of_all_choices():
    answers = [[1] * right + [0] * (8 - right) for right in (0, 1, 5, 8)]

    def flat(size):
        choices = [list(itertools.combinations(one, size)) for one in answers]
        return sum(sum(len(set(c)) == 1 for c in of) / len(of) for of in choices) / len(choices)

    found = Difficulty(8, [sum(one) for one in answers]).flat()
    assert found == pytest.approx({2: flat(2), 4: flat(4), 8: 0.5})


def test_written_rows_are_data_with_all_columns(found, tmp_path):
    write_rows(found, Difficulty.of(found), [0, 7], tmp_path / "out.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert lines == [
        {"prompt": "0+1=?", "answer": "1", "level": "2", "pass_rate": 1.0},
        {"prompt": "7+1=?", "answer": "8", "level": "2", "pass_rate": 0.5},
    ]
    assert [row["pass_rate"] for row in load_rows(DataSpec(source=str(tmp_path / "out.jsonl")))] == [1.0, 0.5]


def test_a_file_that_is_there_stays(found):
    with pytest.raises(SpecError, match=r"'data\.jsonl' is there already; name another --out"):
        write_rows(found, Difficulty.of(found), [0], Path("data.jsonl"))
