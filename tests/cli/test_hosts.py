"""Two hosts, each a network namespace of its own with a name, address and processes, and one shared folder."""

import os
import re
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from gpocli.runs.checkpoints import is_sealed
from gpocli.runs.records import read_candidates
from tests.cli.command import Running
from tests.cli.conftest import checkpoints
from tests.cli.test_signals import HELD, start_two

pytestmark = pytest.mark.slow
REPOSITORY = Path(__file__).parents[2]
RUN = (*HELD, "--steps", 3, "--set", "run.save_every=1")


def ip(*words, check=True):
    return subprocess.run(["ip", *words], check=check, capture_output=True, text=True).stdout


@dataclass(frozen=True)
class Host:
    name: str
    address: str
    streams: Path

    def gpo(self, folder, *arguments):
        """Start `gpo` on the host."""
        streams = self.streams / str(len(list(self.streams.iterdir())))
        streams.mkdir()
        named = ("unshare", "--uts", "sh", "-c", f'hostname {self.name}; exec "$@"', "sh")
        with (streams / "stdout").open("wb") as out, (streams / "stderr").open("wb") as err:
            process = subprocess.Popen(
                ["ip", "netns", "exec", self.name, *named, sys.executable, "-m", "gpocli", *map(str, arguments)],
                cwd=folder.path,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
                start_new_session=True,
            )
        return Running(process.pid, process.poll, streams)

    def kill(self):
        """End all processes of the host at once, as a loss of power does."""
        for pid in ip("netns", "pids", self.name, check=False).split():
            os.kill(int(pid), signal.SIGKILL)


@pytest.fixture
def hosts(tmp_path):
    """Two hosts that reach each other and know each other's names."""
    both = [
        Host(f"gpo-{os.getpid()}-{letter}", f"10.213.7.{i}", tmp_path / letter) for i, letter in ((1, "a"), (2, "b"))
    ]
    names = "127.0.0.1 localhost\n" + "".join(f"{host.address} {host.name}\n" for host in both)
    files = [Path("/etc/netns") / host.name / "hosts" for host in both]  # `ip netns exec` shows it as /etc/hosts
    try:
        try:
            for host, file in zip(both, files, strict=True):
                ip("netns", "add", host.name)
                file.parent.mkdir(parents=True)
                file.write_text(names)
                host.streams.mkdir()
            ends = [f"gpo{os.getpid() % 100000}{letter}" for letter in "ab"]
            ip("link", "add", ends[0], "type", "veth", "peer", "name", ends[1])
            for host, end in zip(both, ends, strict=True):
                ip("link", "set", end, "netns", host.name)
                ip("-n", host.name, "addr", "add", f"{host.address}/24", "dev", end)
                for device in (end, "lo"):
                    ip("-n", host.name, "link", "set", device, "up")
        except (OSError, subprocess.CalledProcessError) as error:
            pytest.skip(f"no network namespaces here ({error}); run as root, with iproute2")
        yield both
    finally:
        for host, file in zip(both, files, strict=True):
            host.kill()
            ip("netns", "del", host.name, check=False)
            file.unlink(missing_ok=True)
            if file.parent.exists():
                file.parent.rmdir()


def launched(hosts, folder, port, *arguments):
    """A run of one process on each host, by `gpo launch`."""
    meet = ("launch", "--processes", 1, "--hosts", 2, "--endpoint", f"{hosts[0].address}:{port}", "--")
    return [host.gpo(folder, *meet, *arguments) for host in hosts]


def test_a_host_that_is_lost_is_named_and_the_run_goes_on_with_both(hosts, folder):
    left, lost = launched(hosts, folder, 29501, *RUN)
    left.wait_until(lambda: is_sealed(folder.path / "out" / "checkpoints" / "checkpoint-1"))
    hosts[1].kill()
    lost.outcome()
    done = left.outcome()
    assert done.code == 1  # torchrun's own
    said = [line for line in done.stderr.splitlines() if line.startswith("host ")]
    text = r"host '(\S+)', process [01] is gone: killed, for want of memory perhaps; go on with --resume"
    assert [re.fullmatch(text, line)[1] for line in said] == [hosts[1].name]
    assert "  traceback : " + said[0] in done.stderr.splitlines()  # from the error file, in torchrun's own words
    assert "Connection closed" not in done.stderr
    assert checkpoints(folder.path / "out") == ["checkpoint-1"]
    (folder.path / "go").touch()
    both = launched(hosts, folder, 29502, "train", "gfpo", "--resume", "--out", "out")
    assert [running.outcome().code for running in both] == [0, 0]
    assert [running.outcome().code for running in start_two(folder, *RUN, "--out", "straight")] == [0, 0]
    runs = [folder.path / name for name in ("out", "straight")]
    resumed, straight = ((run / "model" / "model.safetensors").read_bytes() for run in runs)
    assert resumed == straight
    assert read_candidates(runs[0]).to_pylist() == read_candidates(runs[1]).to_pylist()
