"""Columns that must be there: what is said when they are not."""

import pytest

from gpocli.data import gather, require_columns
from gpocli.data.required import has_column, require_prompt_column
from gpocli.errors import SpecError


def test_the_flags_that_read_a_known_layout_are_named():
    rows = gather("d.jsonl", [(1, {"problem": "2+3?", "solution": r"so \boxed{5}"})])
    with pytest.raises(SpecError) as error:
        require_prompt_column(rows)
    assert str(error.value) == (
        "d.jsonl: no column 'prompt'; columns found: 'problem', 'solution'; map one with "
        "--map prompt=problem --map answer=solution:boxed (data.columns in a spec)"
    )


def test_a_way_with_brackets_is_quoted_for_the_shell():
    rows = gather("d.jsonl", [(1, {"prompt": "Where?", "answers": {"text": ["Oslo"]}})])
    with pytest.raises(SpecError) as error:
        require_columns(rows, "accuracy", ["answer"])
    assert str(error.value).endswith("map one with --map answer='answers.text[0]' (data.columns in a spec)")


def test_a_reward_may_name_a_way_into_a_column():
    rows = gather("d.jsonl", [(1, {"prompt": "p", "reward_model": {"ground_truth": "5"}})])
    assert has_column(rows, "reward_model.ground_truth")
    assert not has_column(rows, "model.ground_truth")
    require_columns(rows, "accuracy", ["reward_model.ground_truth"])
