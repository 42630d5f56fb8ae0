"""`gpo data check` on small files in the layouts of published sets: read, or the flags that read them are named."""

import json
import re
import shlex
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from gpocli.data.load import load_rows
from gpocli.settings.data import DataSpec, read_columns
from tests.cli.in_process import User

FILES = Path(__file__).parents[1] / "data" / "layouts"

READ = {
    "aime.csv": "prompt=Question answer=Answer",
    "aime_2024.jsonl": "prompt=Problem answer=Answer",
    "alpaca.json": "prompt=instruction+input answer=output",
    "arc.jsonl": "prompt=question+choices:lettered answer=answerKey",
    "dapo_math.jsonl": "answer=reward_model.ground_truth",
    "deepscaler.json": "prompt=problem",
    "dolly.jsonl": "prompt=instruction+context answer=response",
    "gsm8k.jsonl": "prompt=question answer=answer:hashes",
    "hh_preference.jsonl": "prompt=chosen:chat answer=chosen:reply",
    "math.jsonl": "prompt=problem answer=solution:boxed",
    "math500.jsonl": "prompt=problem",
    "mathinstruct.json": "prompt=instruction answer=output:stated",
    "metamath.json": "prompt=query answer=response:stated",
    "mmlu.jsonl": "prompt=question+choices:lettered answer=answer:letter",
    "numinamath.jsonl": "prompt=problem answer=solution:boxed",
    "olympiadbench.jsonl": "prompt=context+question answer=final_answer:only",
    "openai_chat.jsonl": "prompt=messages:chat answer=messages:reply",
    "openmath_reasoning.jsonl": "prompt=problem answer=expected_answer",
    "openmathinstruct2.jsonl": "prompt=problem answer=expected_answer",
    "openr1_math.jsonl": "prompt=problem",
    "orca_math.jsonl": "prompt=question answer=answer:stated",
    "orz.jsonl": "prompt=0.value answer=1.ground_truth.value",
    "prompt_completion.jsonl": "data_completion=completion answer=completion",
    "sharegpt.json": "prompt=conversations:chat answer=conversations:reply",
    "skywork_or1.jsonl": "answer=reward_model.ground_truth:only",
    "squad.jsonl": "prompt=context+question answer=answers.text[0]",
    "synthetic1.jsonl": "answer=verification_info:json.ground_truth",
    "tulu_rlvr.jsonl": "prompt=messages:chat answer=ground_truth",
    "ultrafeedback.jsonl": "answer=messages:reply",
    "verl_gsm8k.jsonl": "answer=reward_model.ground_truth",
}
"""The mapping that is named for each."""

REFUSED = {
    "countdown.jsonl": "no column 'prompt'; columns found: 'target', 'nums'; map one with --map prompt=NAME",
    "function_calling.json": ":2: the column 'tools' does not reach the model, whose chat template would take it",
    "geometry3k.jsonl": "the column 'images' holds images, which are not trained on: prompts are text alone",
    "glaive_tools.json": "'conversations:chat' cannot be the prompt (glaive_tools.json:2: message 2 has role "
    "'function_call', not one of system, developer, user, assistant, tool); mend it, or map another one",
    "image_parts.jsonl": "message 1 has a part of type 'image'; only text can be trained on",
}
"""What is said of those that cannot be trained on as they are."""

TABLES = ["numinamath", "verl_gsm8k", "skywork_or1", "squad", "mmlu", "olympiadbench", "geometry3k", "gsm8k"]
"""Those that are published as tables."""


@pytest.fixture
def user(tmp_path, monkeypatch, capsys):
    return User(tmp_path, monkeypatch, capsys)


def flags(text):
    """The mapping that messages name, each once."""
    return list(dict.fromkeys(re.findall(r"--map ((?:'[^']*'|\S)+)", text)))


def is_gold(answer):
    return str(answer) in ("5", "8", "B", "C")


def assert_read(user, file, mapping):
    said = user.gpo("data", "check", file, "--reward", "accuracy")
    assert (said.code, [shlex.split(flag)[0] for flag in flags(said.err)]) == (2, mapping.split())
    named = [argument for flag in flags(said.err) for argument in ("--map", *shlex.split(flag))]
    said = user.gpo("data", "check", file, "--reward", "accuracy", *named)
    assert (said.code, said.err) == (0, "")
    rows = load_rows(DataSpec(source=str(file), columns=read_columns(named[1::2])))
    assert all(is_gold(row["answer"]) for row in rows)
    for row, question in zip(rows, ("2+3", "4+4"), strict=True):
        assert question in json.dumps(row["prompt"])
    return rows


@pytest.mark.parametrize(("name", "mapping"), READ.items(), ids=READ.keys())
def test_the_flags_that_are_named_read_the_file(user, name, mapping):
    assert_read(user, user.write(name, (FILES / name).read_text(encoding="utf-8")).name, mapping)


@pytest.mark.parametrize(("name", "reason"), REFUSED.items(), ids=REFUSED.keys())
def test_what_cannot_be_trained_on_is_refused_with_the_reason(user, name, reason):
    user.write(name, (FILES / name).read_text(encoding="utf-8"))
    said = user.gpo("data", "check", name, "--reward", "accuracy")
    assert said.code == 2
    assert reason in said.err


def rows_of(name):
    return [json.loads(line) for line in (FILES / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("name", TABLES)
def test_a_parquet_file_is_answered_as_lines_are(user, name):
    pq.write_table(pa.Table.from_pylist(rows_of(name)), user.folder / f"{name}.parquet")
    if f"{name}.jsonl" in READ:
        assert_read(user, f"{name}.parquet", READ[f"{name}.jsonl"])
    else:
        assert REFUSED[f"{name}.jsonl"] in user.gpo("data", "check", f"{name}.parquet").err


def test_a_saved_dataset_is_answered_as_lines_are(user):
    import datasets

    rows = datasets.Dataset.from_list(rows_of("openr1_math"))
    datasets.DatasetDict(train=rows, test=rows).save_to_disk("saved")
    assert assert_read(user, "saved", READ["openr1_math.jsonl"]).place(0).startswith("saved/train/data-00000-of-")


def test_every_file_is_tried():
    assert {file.name for file in FILES.iterdir()} == READ.keys() | REFUSED.keys()


def test_choices_stand_in_the_prompt(user):
    rows = load_rows(DataSpec(source=str(FILES / "mmlu.jsonl"), columns=read_columns(READ["mmlu.jsonl"].split())))
    assert rows[0]["prompt"] == "What is 2+3?\n\nA. 4\nB. 5\nC. 8\nD. 9"
    assert rows[0]["answer"] == "B"
