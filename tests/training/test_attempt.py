"""However an attempt ends, its manifest says how."""

import signal

import pytest

from gpocli.errors import EnvironmentFault, GuardError, Interrupted, PluginError
from gpocli.runs.manifest import Manifest, read_manifest
from gpocli.training.attempt import end_of, recorded
from gpocli.training.faults import Fault, Leave
from gpocli.training.loading_signals import Stopped

ENDS = {
    "guard": (GuardError("guard 'x'"), ("stopped", 4, "guard 'x'")),
    "signal": (Interrupted("stopped at checkpoint-2", signal.SIGTERM), ("interrupted", 143, "stopped at checkpoint-2")),
    "queue": (Interrupted("", signal.SIGUSR1, requeue=True), ("interrupted", 75, None)),
    "Ctrl-C": (KeyboardInterrupt(), ("interrupted", 130, "SIGINT")),
    "while loading": (Stopped(signal.SIGHUP), ("interrupted", 143, "SIGHUP")),
    "reward": (PluginError("reward 'x' failed"), ("failed", 3, "reward 'x' failed")),
    "disk": (EnvironmentFault("cannot write"), ("failed", 5, "cannot write")),
    "lost": (RuntimeError("Connection reset by peer"), ("failed", 5, "RuntimeError: Connection reset by peer")),
    "fault of gpo": (KeyError("x"), ("failed", 1, "KeyError: 'x'")),
}


@pytest.mark.parametrize(("error", "end"), ENDS.values(), ids=ENDS)
def test_what_ends_an_attempt_is_told_with_its_exit_code(error, end):
    assert end_of(error) == end


def test_a_fault_of_another_process_is_that_of_the_attempt():
    assert end_of(Leave(), Fault("b", 1, 3, "reward 'x' failed", 1)) == ("failed", 3, "reward 'x' failed")


def test_an_end_is_written_and_the_error_goes_on(tmp_path):
    manifest = Manifest(tmp_path)
    manifest.begin({})
    with pytest.raises(GuardError), recorded(manifest, lambda: None):
        raise GuardError("x")
    assert read_manifest(manifest.path)["state"] == "stopped"
    manifest.begin({})
    with recorded(manifest, lambda: None):
        pass
    assert [attempt["state"] for attempt in read_manifest(manifest.path)["attempts"]] == ["stopped", "done"]


def test_a_directory_that_is_gone_is_told_by_what_ended_the_run(tmp_path):
    with pytest.raises(GuardError), recorded(Manifest(tmp_path / "gone"), lambda: None):
        raise GuardError("x")
