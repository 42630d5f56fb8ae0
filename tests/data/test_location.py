"""A path is never taken for the name of a hub dataset."""

import hashlib

import pytest

from gpocli.data import looks_local
from gpocli.data.location import find_files
from gpocli.errors import SpecError
from tests.data.reading import read_rows


@pytest.mark.parametrize(
    "source",
    [
        "./trian.jsonl",
        "../x",
        "/abs/x",
        "~/x.jsonl",
        "data/none.csv",
        "none.parquet",
        "a/b/c",
        "data/",
        "data\\a.jsonl",
        "d*.jsonl",
        "my file",
        "über maß.jsonl",
        "x.TXT",
    ],
)
def test_paths_look_local(source):
    assert looks_local(source)


@pytest.mark.parametrize("source", ["openai/gsm8k", "squad", "trl-lib/DeepMath-103K", "openai/gsm8k:main"])
def test_hub_names_do_not(source):
    assert not looks_local(source)


def test_what_exists_on_disk_is_local(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "squad").mkdir()
    assert looks_local("squad")


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("./trian.jsonl", "no such file './trian.jsonl'; did you mean 'train.jsonl'?"),
        ("sub/none.csv", "no such file 'sub/none.csv'; there is no folder 'sub' either: check the path"),
        ("data\\a.jsonl", "no such file 'data\\a.jsonl'; write the path with forward slashes (/)"),
        ("x*.jsonl", "no file matches 'x*.jsonl'; check the pattern"),
        ("zzz.csv", "no such file 'zzz.csv'; check the path"),
        (
            "folder",
            "'folder' is a folder without files of rows (.jsonl, .ndjson, .json, .csv, .tsv, .parquet, .arrow); name a "
            "file",
        ),
        ("train.jsonl,no.csv", "no such file 'no.csv'; check the path"),
        (
            "mixed",
            "'mixed' is a folder with files of several kinds (.csv, .jsonl); name one file in it, or a pattern such as "
            "'mixed/*.jsonl'",
        ),
        (
            "splits",
            "'splits' is a folder with files to train on and to evaluate on ('sums-test.jsonl'); name those to "
            "train on, such as 'splits/sums-train.jsonl'",
        ),
        (
            "a.xlsx",
            "cannot read 'a.xlsx': its name ends in none of .jsonl, .ndjson, .json, .csv, .tsv, .parquet, .arrow; "
            "convert it first",
        ),
    ],
)
def test_a_file_that_cannot_be_read_is_named(tmp_path, monkeypatch, source, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    for name in ("train.jsonl", "mixed/a.jsonl", "mixed/b.csv", "splits/sums-train.jsonl", "splits/sums-test.jsonl"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "a.xlsx").touch()
    with pytest.raises(SpecError) as error:
        read_rows(source)
    assert str(error.value) == message


def test_home_blanks_and_umlauts_in_a_path(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "große Daten.JSONL").write_text('{"prompt": "a"}\n')
    assert read_rows("~/große Daten.JSONL").place(0) == "~/große Daten.JSONL:1"


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Two files of two rows each, and one that is no data."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "set").mkdir()
    for name in ("a", "b"):
        (tmp_path / "set" / f"{name}.jsonl").write_text(f'{{"prompt": "{name}1"}}\n\n{{"prompt": "{name}2"}}\n')
    (tmp_path / "set" / "README.md").touch()
    return tmp_path


@pytest.mark.parametrize("source", ["set", "set/", "set/*.jsonl", "set/?.jsonl", "set/a.jsonl,set/b.jsonl"])
def test_several_files_are_one_source(files, source):
    rows = read_rows(source)
    assert [row["prompt"] for row in rows] == ["a1", "a2", "b1", "b2"]
    assert [rows.place(index) for index in range(4)] == [
        "set/a.jsonl:1",
        "set/a.jsonl:3",
        "set/b.jsonl:1",
        "set/b.jsonl:3",
    ]
    assert len(set(rows.lines)) == 4
    whole = b"".join((files / "set" / f"{name}.jsonl").read_bytes() for name in ("a", "b"))
    assert rows.digest == hashlib.sha256(whole).hexdigest()


def test_several_files_end_at_the_limit(files):
    assert [row["prompt"] for row in read_rows("set", limit=3)] == ["a1", "a2", "b1"]


def test_a_pattern_that_one_file_matches_is_that_file(files):
    assert read_rows("set/a*").source == "set/a.jsonl"


def test_a_fault_names_its_own_file(files):
    (files / "set" / "b.jsonl").write_text('{"prompt": "b"}\n{"prompt": ""}\n')
    with pytest.raises(SpecError) as error:
        read_rows("set")
    assert str(error.value).startswith("set/b.jsonl:2: prompt is empty (1 of 4 rows)")


def test_the_directory_of_a_run_is_no_data(tmp_path):
    for name in ("spec.yaml", "metrics.jsonl"):
        (tmp_path / name).write_text("")
    with pytest.raises(SpecError) as caught:
        find_files(str(tmp_path))
    assert str(caught.value) == (
        f"'{tmp_path}' is the directory of a run, not data; its data is named in {tmp_path / 'spec.yaml'}"
    )
