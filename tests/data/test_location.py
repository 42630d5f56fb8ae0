"""A path is never taken for the name of a hub dataset."""

import pytest

from gpocli.data import looks_local, read_rows
from gpocli.errors import SpecError


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
        ("x*.jsonl", "no such file 'x*.jsonl'; wildcards are not expanded: name one file"),
        ("zzz.csv", "no such file 'zzz.csv'; check the path"),
        ("folder", "'folder' is a folder; name one file in it (.jsonl, .ndjson, .json, .csv, .tsv, .parquet)"),
        (
            "a.xlsx",
            "cannot read 'a.xlsx': its name ends in none of .jsonl, .ndjson, .json, .csv, .tsv, .parquet; "
            "convert it first",
        ),
    ],
)
def test_a_file_that_cannot_be_read_is_named(tmp_path, monkeypatch, source, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "train.jsonl").touch()
    (tmp_path / "a.xlsx").touch()
    with pytest.raises(SpecError) as error:
        read_rows(source)
    assert str(error.value) == message


def test_home_blanks_and_umlauts_in_a_path(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "große Daten.JSONL").write_text('{"prompt": "a"}\n')
    assert read_rows("~/große Daten.JSONL").place(0) == "~/große Daten.JSONL:1"
