"""A checkpoint is whole when its manifest says so and every file is as it was sealed."""

import os

import pytest

from gpocli.runs.checkpoints import damage, latest_whole, read_manifest, seal


@pytest.fixture
def make(tmp_path):
    """`make(step)`: a sealed checkpoint with files of 5 and 3 bytes, one of them in a folder of its own."""

    def make(step):
        folder = tmp_path / f"checkpoint-{step}"
        (folder / "shards").mkdir(parents=True)
        (folder / "weights.bin").write_bytes(b"12345")
        (folder / "shards" / "0.bin").write_bytes(b"abc")
        seal(folder, layout={"processes": 1}, sources={})
        return folder

    return make


def test_a_manifest_lists_sizes_and_digests(make):
    manifest = read_manifest(make(1))
    assert manifest["files"] == {
        "shards/0.bin": {"size": 3, "sha256": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        "weights.bin": {"size": 5, "sha256": "5994471abb01112afcc18159f6cc74b4f511b99806da59b3caf5a9c173cacfc5"},
    }
    assert (manifest["layout"], manifest["sources"]) == ({"processes": 1}, {})


def test_a_sealed_checkpoint_is_whole_until_a_byte_differs(make):
    folder = make(1)
    assert damage(folder) is None
    (folder / "notes.txt").write_text("mine")  # what came later is nobody's business
    assert damage(folder) is None
    (folder / "weights.bin").write_bytes(b"12346")
    assert damage(folder) == "weights.bin has other bytes"


def test_every_cut_or_missing_file_is_named(make):
    folder = make(1)
    os.truncate(folder / "weights.bin", 2)
    (folder / "shards" / "0.bin").unlink()
    assert damage(folder) == "shards/0.bin is missing, weights.bin has 2 bytes, not 5"


@pytest.mark.parametrize("text", ["", "{", "[]", '{"files": {}}'])
def test_a_damaged_manifest_is_named(make, text):
    folder = make(1)
    (folder / "manifest.json").write_text(text)
    assert damage(folder) == "manifest.json cannot be read"


def test_a_checkpoint_that_was_never_sealed_is_not_whole(make):
    folder = make(1)
    (folder / "manifest.json").rename(folder / "manifest.json.part")
    assert damage(folder) == "manifest.json is missing"


def test_the_last_whole_checkpoint_is_found_and_what_is_wrong_with_later_ones(tmp_path, make):
    for step in (2, 9, 10, 11):
        make(step)
    os.truncate(tmp_path / "checkpoint-11" / "weights.bin", 0)
    os.truncate(tmp_path / "checkpoint-2" / "weights.bin", 0)
    (tmp_path / "checkpoint-99").touch()
    assert latest_whole(tmp_path) == (tmp_path / "checkpoint-10", {"checkpoint-11": "weights.bin has 0 bytes, not 5"})


def test_where_there_is_none_nothing_is_found(tmp_path):
    assert latest_whole(tmp_path / "none") == (None, {})


def test_the_manifest_comes_after_everything_else_is_on_the_disk(make, tmp_path, monkeypatch):
    synced = []
    fsync = os.fsync
    monkeypatch.setattr(os, "fsync", lambda it: (synced.append(os.readlink(f"/proc/self/fd/{it}")), fsync(it))[1])
    folder = make(1)
    names = ["shards/0.bin", "weights.bin", "manifest.json.part", "shards", ".", ".."]
    assert synced == [os.path.normpath(folder / name) for name in names]
