"""Mapping columns, reserved names, and columns that are missing."""

import json

import pytest

from gpocli.data import RESERVED, gather, prepare, require_columns
from gpocli.data.columns import map_columns
from gpocli.data.survey import survey
from gpocli.errors import SpecError
from gpocli.settings.data import DataSpec
from tests.data.reading import read_rows


def rows_of(*values):
    return gather("d.jsonl", list(enumerate(values, start=1)))


def refusal(rows, **options):
    with pytest.raises(SpecError) as error:
        prepare(rows, DataSpec(**options))
    return str(error.value)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (
            {"question": "q", "answer": "a"},
            "no column 'prompt'; columns found: 'question', 'answer'; map one with "
            "--map prompt=question (data.columns in a spec)",
        ),
        (
            {"Prompt": "q"},
            "no column 'prompt'; columns found: 'Prompt'; map one with --map prompt=Prompt (data.columns in a spec)",
        ),
        (
            {"prompt ": "q"},
            "no column 'prompt'; columns found: 'prompt '; map one with "
            "--map prompt='prompt ' (data.columns in a spec)",
        ),
        (
            {"a": "q", "b": 1},
            "no column 'prompt'; columns found: 'a', 'b'; map one with --map prompt=NAME (data.columns in a spec)",
        ),
    ],
)
def test_a_missing_prompt_column_is_answered_with_how_to_map(row, message):
    assert refusal(rows_of(row)) == f"d.jsonl: {message}"


def test_a_mapped_column_has_only_its_new_name():
    rows = prepare(rows_of({"question": "q", "answer": "a"}), DataSpec(columns={"prompt": "question"}))
    assert rows.columns == ("answer", "prompt")
    assert rows.values == [{"answer": "a", "prompt": "q"}]


def test_a_mapped_column_replaces_another_of_that_name():
    rows = prepare(rows_of({"question": "q", "prompt": "old"}), DataSpec(columns={"prompt": "question"}))
    assert rows.values == [{"prompt": "q"}]


def test_two_columns_can_be_exchanged():
    rows = prepare(rows_of({"prompt": "a", "answer": "b"}), DataSpec(columns={"prompt": "answer", "answer": "prompt"}))
    assert rows.values == [{"prompt": "b", "answer": "a"}]


def test_mapping_a_column_that_is_not_there_is_refused():
    assert refusal(rows_of({"question": "q", "answer": "a"}), columns={"prompt": "quesiton"}) == (
        "d.jsonl: no column 'quesiton', which data.columns.prompt names; columns found: 'question', 'answer'; "
        "did you mean 'question'?"
    )
    assert refusal(rows_of({"question": "q"}), columns={"prompt": "xyz"}) == (
        "d.jsonl: no column 'xyz', which data.columns.prompt names; columns found: 'question'; name one of these"
    )


@pytest.mark.parametrize("name", sorted(RESERVED))
def test_a_reserved_name_is_refused(name):
    assert refusal(rows_of({"prompt": "q", name: 1})) == (
        f"d.jsonl: the column name '{name}' is taken (rewards and filters get something else under it); "
        f"rename the column with --map data_{name}={name} (data.columns in a spec)"
    )


def test_a_reserved_name_can_be_mapped_away():
    rows = prepare(rows_of({"prompt": "q", "completion": 1}), DataSpec(columns={"reference": "completion"}))
    assert rows.columns == ("prompt", "reference")


@pytest.mark.parametrize("name", ["class", "my col", "a-b", "messages", "tools", "id"])
def test_other_odd_names_are_fine(name):
    assert prepare(rows_of({"prompt": "q", name: 1}), DataSpec())[0][name] == 1


def test_what_a_reward_needs_is_checked_by_name(tmp_path):
    path = tmp_path / "eval.jsonl"
    path.write_text(json.dumps({"prompt": "p", "answr": "4"}) + "\n")
    rows = read_rows(str(path))
    require_columns(rows, "exact", ["prompt"])
    with pytest.raises(SpecError) as error:
        require_columns(rows, "accuracy", ["answer"])
    assert str(error.value) == (
        f"{path}: reward 'accuracy' needs a column 'answer'; columns found: 'prompt', 'answr'; "
        "map one with --map answer=answr (data.columns in a spec)"
    )


def test_a_mapping_the_wrong_way_round_is_recognised():
    with pytest.raises(SpecError) as caught:
        map_columns(gather("d.jsonl", [(1, {"question": "q", "answer": "a"})]), {"question": "prompt"})
    assert str(caught.value) == (
        "d.jsonl: no column 'prompt', which data.columns.question names; columns found: 'question', 'answer'; ours "
        "stands first: --map prompt=question (data.columns in a spec)"
    )


@pytest.mark.parametrize(
    ("column", "value", "cure"),
    [
        ("tools", [{"name": "f"}], "write the tools into a system message"),
        ("chat_template_kwargs", {"x": 1}, "write trl.chat_template_kwargs, which is one for all rows"),
    ],
)
def test_columns_of_the_chat_template_are_refused_by_name(column, value, cure):
    chat = [{"role": "user", "content": "q"}]
    rows = gather("d.jsonl", [(1, {"prompt": chat, column: None}), (2, {"prompt": chat, column: value})])
    with pytest.raises(SpecError) as caught:
        prepare(rows, DataSpec(source="d.jsonl"))
    assert str(caught.value) == (
        f"d.jsonl:2: the column '{column}' does not reach the model, whose chat template would take it elsewhere; "
        f"{cure}, or keep it for rewards with --map data_{column}={column} (data.columns in a spec)"
    )
    assert survey(DataSpec(source="d.jsonl"), lambda on_fault: rows).faults == [str(caught.value)]
    prepare(rows.select([0]), DataSpec(source="d.jsonl"))  # nothing in it
    prepare(gather("d.jsonl", [(1, {"prompt": "q", column: value})]), DataSpec(source="d.jsonl"))  # no template at work


VERL = {"prompt": "p", "reward_model": {"ground_truth": "5", "style": "rule"}}


def test_a_value_within_a_column_is_mapped_and_the_column_stays():
    rows = prepare(rows_of(VERL), DataSpec(columns={"answer": "reward_model.ground_truth"}))
    assert rows.values == [VERL | {"answer": "5"}]


def test_a_reserved_column_that_is_reached_into_is_left_out():
    row = {"prompt": "p", "completion": [{"role": "assistant", "content": "5"}]}
    assert prepare(rows_of(row), DataSpec(columns={"answer": "completion[0].content"})).values == [
        {"prompt": "p", "answer": "5"}
    ]


def test_a_way_that_leads_nowhere_in_some_rows_is_null_there_and_in_all_rows_refused():
    some = rows_of(VERL, {"prompt": "p", "reward_model": None})
    columns = {"answer": "reward_model.ground_truth"}
    assert [row["answer"] for row in prepare(some, DataSpec(columns=columns))] == ["5", None]
    assert refusal(rows_of(VERL), columns={"answer": "reward_model.truth"}) == (
        "d.jsonl:1: 'reward_model.truth', which data.columns.answer names, is null in every row; here 'reward_model' "
        "holds no 'truth', but 'ground_truth', 'style'"
    )


def test_a_misspelt_way_is_answered_with_the_right_one():
    assert refusal(rows_of(VERL), columns={"answer": "reward_modl.ground_truth"}).endswith(
        "did you mean 'reward_model.ground_truth'?"
    )
    assert refusal(rows_of(VERL), columns={"answer": "reward_model[x]"}).endswith(
        "a way into a column is written column.key, column[0] or column:step"
    )


def test_images_are_refused_with_the_reason():
    assert refusal(rows_of({"prompt": "p", "image": {"bytes": "x", "path": None}})) == (
        "d.jsonl: the column 'image' holds images, which are not trained on: prompts are text alone; name data without "
        "them, or keep it for rewards with --map data_image=image (data.columns in a spec)"
    )
