"""What a library raises while a run is built and trains: one line, the traceback in a file, exit code 5."""

import asyncio
import os
import tempfile
from pathlib import Path

import pytest

from gpocli.errors import EnvironmentFault, SpecError
from gpocli.training.boundary import boundary, log_of
from gpocli.training.faults import Leave
from gpocli.training.loading_signals import Stopped


def fail(log, error, doing=None, way_on="", *, passes=lambda error: False):
    """Raise an error within a boundary."""
    with boundary(log, passes=passes) as course:
        course.doing = doing or course.doing
        course.way_on = lambda: way_on
        raise error


def line(tmp_path, error, *more):
    """What is told of an error."""
    with pytest.raises(EnvironmentFault) as told:
        fail(lambda: tmp_path / "error.log", error, *more)
    assert told.value.__cause__ is error
    return str(told.value).replace(str(tmp_path), "out")


def test_an_error_is_one_line_with_its_log_and_the_way_on(tmp_path):
    assert line(tmp_path, TypeError("no such\nthing"), "training", "stopped at checkpoint-2") == (
        "training failed (TypeError: no such); the traceback is in out/error.log; stopped at checkpoint-2"
    )
    assert line(tmp_path, KeyError()) == (
        "building the trainer failed (KeyError: KeyError); the traceback is in out/error.log"
    )


def test_the_log_holds_the_tracebacks_of_all_attempts_and_the_versions(tmp_path):
    for text in ("first", "second"):
        line(tmp_path, ValueError(text))
    log = (tmp_path / "error.log").read_text()
    assert log.count("Traceback (most recent call last)") == 2
    assert log.index("ValueError: first") < log.index("ValueError: second")
    assert "torch " in log.splitlines()[0]


def test_no_memory_is_told_with_what_to_write(tmp_path):
    import torch

    told = line(tmp_path, torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2 GiB"))
    assert "; write a smaller batch.micro_batch" in told


@pytest.mark.parametrize("error", [KeyboardInterrupt(), Leave(), Stopped(15)])
def test_what_signals_raise_passes(tmp_path, error):
    with pytest.raises(type(error)):
        fail(lambda: tmp_path / "error.log", error)


def test_an_error_that_is_no_exception_is_told_as_well(tmp_path):
    assert line(tmp_path, asyncio.CancelledError()).startswith("building the trainer failed (CancelledError: ")


def test_a_library_that_ends_the_program_does_not_choose_the_exit_code(tmp_path):
    assert line(tmp_path, SystemExit(0)).startswith("building the trainer failed (SystemExit: 0)")


def test_a_log_that_cannot_be_written_is_left_out(tmp_path):
    with pytest.raises(EnvironmentFault, match=r"^building the trainer failed \(ValueError: x\)$"):
        fail(lambda: tmp_path / "none" / "error.log", ValueError("x"))


@pytest.mark.parametrize("error", [SpecError("keep 5 is too much"), KeyboardInterrupt()])
def test_what_is_told_already_stays_as_it_is(tmp_path, error):
    with pytest.raises(type(error)) as raised:
        fail(lambda: tmp_path / "error.log", error)
    assert raised.value is error
    assert list(tmp_path.iterdir()) == []


def test_what_somebody_further_up_knows_passes(tmp_path):
    error = RuntimeError("Connection closed by peer")
    with pytest.raises(RuntimeError, match="peer"):
        fail(lambda: tmp_path / "error.log", error, passes=lambda found: found is error)


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    """The folder of temporary files."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def test_the_log_of_a_process_is_its_own_and_a_directory_that_goes_holds_none(tmp_path, temporary):
    assert log_of(tmp_path, 0, stays=True) == tmp_path / "error.log"
    assert log_of(tmp_path, 3, stays=True) == tmp_path / "error-3.log"
    elsewhere = {log_of(tmp_path, 0, stays=False), log_of(tmp_path / "removed", 0, stays=True)}
    assert elsewhere == {temporary / f"gpo-errors-{os.getuid()}.log"}


def test_all_runs_that_leave_no_directory_share_a_file_that_does_not_grow_without_end(tmp_path, temporary):
    for text in ("first", "second"):
        with pytest.raises(EnvironmentFault) as told:
            fail(lambda: log_of(tmp_path, 0, stays=False), ValueError(text))
    path = Path(str(told.value).rpartition(" is in ")[2])
    assert list(temporary.iterdir()) == [path]
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.read_text().index("ValueError: first") < path.read_text().index("ValueError: second")
    path.write_bytes(bytes(1_000_001))
    assert log_of(tmp_path, 0, stays=False).stat().st_size == 0


def test_a_link_that_somebody_laid_there_is_not_followed(tmp_path, temporary):
    (temporary / f"gpo-errors-{os.getuid()}.log").symlink_to(tmp_path / "elsewhere")
    path = log_of(tmp_path, 0, stays=False)
    assert path.parent == temporary
    assert not path.is_symlink()
    assert not (tmp_path / "elsewhere").exists()
