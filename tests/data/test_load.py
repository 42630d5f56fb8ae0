"""A run's rows: text reaches the trainer as it is, and hubs and short data are answered plainly."""

import itertools
import json
import os
import subprocess
import sys

import datasets
import pytest

from gpocli.data import gather
from gpocli.data.load import eval_split_of, require_generation_batch
from gpocli.errors import SpecError
from gpocli.training.dataset import to_dataset
from tests.data.reading import read_rows

ANSWERS = ["007", 5, "1e3", "None", "null", "2024-05-01", [1], {"a": None}, None, True]


def rows_of(*answers):
    return gather("d.jsonl", [(line * 2, {"prompt": "p", "answer": answer}) for line, answer in enumerate(answers, 1)])


def test_the_embedded_task_has_two_splits():
    train, held_out = read_rows("embedded", limit=5), read_rows("embedded", split="eval", limit=5)
    assert (len(train), len(held_out)) == (5, 5)
    assert train.columns == ("prompt", "answer")
    assert not {row["prompt"][0]["content"] for row in train} & {row["prompt"][0]["content"] for row in held_out}
    assert eval_split_of("embedded") == "eval"


def test_an_unknown_split_of_the_embedded_task_is_refused():
    with pytest.raises(SpecError) as error:
        read_rows("embedded", split="test")
    assert str(error.value) == "the embedded task has no split 'test'; write train or eval"


def test_a_local_file_is_read_and_has_no_splits(tmp_path):
    path = tmp_path / "d.jsonl"
    path.write_text(json.dumps({"question": "q"}) + "\n")
    assert read_rows(str(path), columns={"prompt": "question"}).values == [{"prompt": "q"}]
    assert eval_split_of(str(path)) is None
    with pytest.raises(SpecError) as error:
        read_rows(str(path), split="test")
    assert str(error.value) == f"'{path}' is one file and has no split 'test'; name a file for each purpose"


def test_a_hub_that_cannot_be_reached_is_answered_at_once():
    code = (
        "from gpocli.errors import EnvironmentFault\n"
        "from tests.data.reading import read_rows\n"
        "try: read_rows('owner/name:main')\n"
        "except EnvironmentFault as error: print(error)\n"
    )
    env = {**os.environ, "HF_HUB_OFFLINE": "1"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env)
    assert done.stdout == (
        "cannot load dataset 'owner/name:main' from the hub (Couldn't reach 'owner/name' on the Hub "
        "(OfflineModeIsEnabled)); check the name and the connection, or name a local file such as ./name.jsonl\n"
    )


def test_too_few_rows_for_a_generation_batch_are_refused(tmp_path):
    path = tmp_path / "d.jsonl"
    path.write_text('{"prompt": "p"}\n')
    rows = read_rows(str(path))
    require_generation_batch(rows, 1)
    with pytest.raises(SpecError) as error:
        require_generation_batch(rows, 4)
    assert str(error.value) == (
        f"{path}: needs at least 4 prompts for one generation batch, has 1; add rows, or lower "
        "batch.prompts_per_step or batch.updates_per_generation"
    )


# Streaming


def streamed(path, rows, **options):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return read_rows(str(path), streaming=True, **options)


def test_only_the_first_rows_are_read_before_a_run(tmp_path):
    rows = streamed(tmp_path / "d.jsonl", [{"prompt": f"p{i}"} for i in range(1200)] + [{"prompt": None}])
    assert len(rows) == 1000
    later = iter(to_dataset(rows))
    assert [next(later)["prompt"] for _ in range(1200)][-1] == "p1199"
    with pytest.raises(SpecError) as error:
        next(later)
    assert str(error.value) == (
        f"{tmp_path}/d.jsonl:1201: prompt is null or missing (1 of 1 rows); mend them, or set data.bad_rows=drop"
    )


def test_a_few_streamed_rows_are_enough_for_any_batch(tmp_path):
    require_generation_batch(streamed(tmp_path / "d.jsonl", [{"prompt": "p"}]), 4)


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("embedded", "is made in memory, so it cannot be streamed; leave data.streaming out"),
        ("gym:chain_sum", "is made in memory, so it cannot be streamed; leave data.streaming out"),
        ("-", "cannot be read again, so it cannot be streamed; leave data.streaming out"),
        ("d.json", "holds one list, which cannot be streamed; write it as .jsonl"),
    ],
)
def test_what_cannot_be_streamed_is_named(tmp_path, monkeypatch, source, reason):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "d.json").write_text('[{"prompt": "p"}]')
    with pytest.raises(SpecError) as error:
        read_rows(source, streaming=True)
    assert str(error.value) == f"'{source}' {reason}"


def test_a_hub_dataset_is_streamed_row_by_row(monkeypatch):
    asked = []

    def load(*names, **options):
        asked.append((names, options))
        return datasets.IterableDataset.from_generator(lambda: ({"question": f"q{i}", "answer": "007"} for i in (1, 2)))

    monkeypatch.setattr(datasets, "load_dataset", load)
    rows = read_rows("owner/name:main", streaming=True, columns={"prompt": "question"})
    assert asked == [(("owner/name", "main"), {"split": "train", "streaming": True})]
    assert [row["prompt"] for row in itertools.islice(to_dataset(rows), 3)] == ["q1", "q2", "q1"]
    assert rows.place(1) == "owner/name:main: row 2"
