"""A run says how it was made and how each attempt at it ended."""

import json
import re

import pytest

from gpocli.errors import EnvironmentFault
from gpocli.runs.manifest import FORMAT, Manifest, now, read_manifest


def states(manifest):
    read = read_manifest(manifest.path)
    return read["state"], [attempt["state"] for attempt in read["attempts"]]


def test_an_attempt_runs_until_it_says_how_it_ended(tmp_path):
    manifest = Manifest(tmp_path)
    manifest.begin({"from_step": 0})
    assert states(manifest) == ("running", ["running"])
    manifest.note({"machine": {"cpus": 2}})
    manifest.end("stopped", 4, "guard 'x'")
    assert states(manifest) == ("stopped", ["stopped"])
    read = read_manifest(manifest.path)
    (attempt,) = read["attempts"]
    assert read["format"] == FORMAT == 1
    assert (attempt["exit_code"], attempt["reason"]) == (4, "guard 'x'")
    assert (attempt["from_step"], attempt["machine"]) == (0, {"cpus": 2})
    assert attempt["began"] <= attempt["ended"]


def test_one_that_could_not_say_it_was_killed(tmp_path):
    manifest = Manifest(tmp_path)
    for _ in range(3):
        manifest.begin({})
    assert states(manifest) == ("running", ["killed", "killed", "running"])
    manifest.end("done", 0, None)
    assert states(manifest) == ("done", ["killed", "killed", "done"])


@pytest.mark.parametrize("text", ["", "{", "[]", '{"attempts": 1}', '{"attempts": [1]}'])
def test_a_damaged_one_is_begun_anew(tmp_path, text):
    manifest = Manifest(tmp_path)
    manifest.path.write_text(text)
    assert read_manifest(manifest.path) == {}
    manifest.end("done", 0, None)  # of an attempt that is not there
    manifest.begin({})
    assert states(manifest) == ("running", ["running"])


def test_what_a_later_format_has_is_kept(tmp_path):
    manifest = Manifest(tmp_path)
    manifest.path.write_text(json.dumps({"format": 2, "attempts": [{"state": "done", "colour": "red"}]}))
    manifest.begin({})
    assert read_manifest(manifest.path)["attempts"][0] == {"state": "done", "colour": "red"}


def test_the_time_is_told_to_the_second_in_utc():
    assert re.fullmatch(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ", now())


def test_a_disk_that_refuses_is_an_environment_fault(tmp_path):
    with pytest.raises(EnvironmentFault, match="No such file or directory"):
        Manifest(tmp_path / "gone").begin({})
