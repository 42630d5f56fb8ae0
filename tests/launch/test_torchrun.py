"""The command of torchrun has what a run in several processes needs."""

import signal
import sys

import pytest

from gpocli.errors import EnvironmentFault
from gpocli.launch.torchrun import SIGNALS, Meeting, require_signals, torchrun_command

TORCHRUN = [sys.executable, "-m", "torch.distributed.run"]
NAMED = ["--signals-to-handle", "SIGTERM,SIGINT,SIGHUP,SIGQUIT,SIGUSR1"]


@pytest.fixture(autouse=True)
def no_signal_is_ignored():
    """A shell that starts the tests in the background lets them ignore SIGINT and SIGQUIT."""
    before = {number: signal.getsignal(number) for number in map(signal.Signals.__getitem__, SIGNALS)}
    for number, handler in before.items():
        signal.signal(number, signal.SIG_DFL if handler is signal.SIG_IGN else handler)
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def test_one_host_needs_no_place_to_meet():
    made = torchrun_command(["gfpo", "run.yaml", "--steps", "3"], 4, None, {})
    here = ["--nproc-per-node", "4", "--standalone"]
    assert made.arguments == [*TORCHRUN, *here, *NAMED, "-m", "gpocli", "train", "gfpo", "run.yaml", "--steps", "3"]


def test_several_hosts_meet_at_one_of_them():
    made = torchrun_command(["gmpo"], 8, Meeting(2, "node1:29500", "try"), {})
    meet = ["--nnodes", "2", "--rdzv-backend", "c10d", "--rdzv-endpoint", "node1:29500", "--rdzv-id", "try"]
    assert made.arguments == [*TORCHRUN, "--nproc-per-node", "8", *meet, *NAMED, "-m", "gpocli", "train", "gmpo"]


def test_there_is_time_to_save_and_the_users_variables_win():
    assert torchrun_command([], 1, None, {}).environment == {"TORCH_ELASTIC_SHUTDOWN_TIMEOUT": "600"}
    made = torchrun_command([], 2, None, {"TORCH_ELASTIC_SHUTDOWN_TIMEOUT": "60"})
    assert made.environment == {"OMP_NUM_THREADS": "1"}


def test_after_nohup_a_hangup_is_ignored_by_torchrun_too():
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    assert "SIGTERM,SIGINT,SIGQUIT,SIGUSR1" in torchrun_command([], 2, None, {}).arguments


def test_the_line_is_one_for_a_shell():
    line = str(torchrun_command(["gfpo", "--set", "trl.a b='1'"], 1, None, {}))
    assert line.startswith(f"TORCH_ELASTIC_SHUTDOWN_TIMEOUT=600 {sys.executable} -m torch.distributed.run ")
    assert line.endswith("""train gfpo --set 'trl.a b='"'"'1'"'"''""")


def test_this_torch_hands_on_signals():
    require_signals()


def test_a_torch_that_does_not_is_refused(tmp_path, monkeypatch):
    (tmp_path / "torch" / "distributed").mkdir(parents=True)
    (tmp_path / "torch" / "__init__.py").touch()
    (tmp_path / "torch" / "distributed" / "run.py").write_text("--nproc-per-node")
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    with pytest.raises(EnvironmentFault, match="has no --signals-to-handle"):
        require_signals()
