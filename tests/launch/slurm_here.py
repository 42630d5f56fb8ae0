"""A real SLURM of two nodes on this machine: munged, slurmctld and two slurmd on loopback addresses, run as root."""

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "srun", "squeue", "scontrol", "scancel")
_PORT = 16917
_PATIENCE = 600.0
"""Seconds after which something has gone wrong, on the busiest machine."""


def why_not() -> str | None:
    """Why SLURM cannot run here; None where it can."""
    missing = [name for name in PROGRAMS if shutil.which(name, path=_path()) is None]
    if missing:
        return f"no {', '.join(missing)} here; apt-get install slurmctld slurmd slurm-client munge"
    if os.geteuid() != 0:
        return "SLURM's daemons start jobs as root only"
    if not socket.gethostbyname(socket.gethostname()).startswith("127."):
        return "the name of this host must be an address of the loopback"
    return None


def wait_until(happened: Callable[[], object]) -> None:
    end = time.monotonic() + _PATIENCE
    while not happened():
        assert time.monotonic() < end, "SLURM took too long"
        time.sleep(0.2)


class Slurm:
    """A running SLURM; `folder` is where jobs are submitted."""

    def __init__(self, folder: Path, configuration: Path) -> None:
        self.folder = folder
        self._environment = os.environ | {"SLURM_CONF": str(configuration), "PATH": _path()}

    def __call__(self, *words: object) -> str:
        """Run a command of SLURM; what it prints."""
        done = subprocess.run(
            [*map(str, words)], cwd=self.folder, env=self._environment, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def submit(self, file: str) -> int:
        return int(self("sbatch", "--parsable", file))

    def about(self, job: int) -> dict[str, str]:
        """What SLURM says of a job, as JobState and Restarts."""
        words = self("scontrol", "--oneliner", "show", "job", job).split()
        return dict(word.split("=", 1) for word in words if "=" in word)

    def end_of(self, job: int) -> str:
        """Wait until a job has ended; its state."""
        wait_until(lambda: self.about(job)["JobState"] not in ("PENDING", "RUNNING", "COMPLETING", "CONFIGURING"))
        return self.about(job)["JobState"]


@contextmanager
def slurm_of_two_nodes(folder: Path) -> Iterator[Slurm]:
    """A SLURM that lives inside; jobs and daemons are ended behind it."""
    home, work = folder / "slurm", folder / "work"
    for part in (home / "munge", home / "state", work):
        part.mkdir(parents=True)
    (home / "munge").chmod(0o755)
    key = home / "key"
    key.write_bytes(os.urandom(128))
    key.chmod(0o600)
    configuration = home / "slurm.conf"
    configuration.write_text(_configuration(home))
    (home / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\nCgroupMountpoint=/sys/fs/cgroup\n")
    own = {name: f"--{name}-file={home}/munge/{name}" for name in ("log", "pid", "seed")}
    commands = [
        ["munged", "--foreground", "--force", f"--socket={home}/munge/socket", f"--key-file={key}", *own.values()],
        ["slurmctld", "-D", "-f", str(configuration)],
        *(["slurmd", "-D", "-f", str(configuration), "-N", f"127.0.0.{node}"] for node in (1, 2)),
    ]
    slurm, daemons = Slurm(work, configuration), []
    try:
        for command in commands:
            daemons.append(_daemon(command, home))
            if command[0] == "munged":
                wait_until((home / "munge" / "socket").exists)
        wait_until(lambda: _is_ready(slurm))
        yield slurm
        for job in slurm("squeue", "--noheader", "--format=%A").split():
            slurm("scancel", job)
        wait_until(lambda: slurm("squeue", "--noheader") == "")
    finally:
        for daemon in reversed(daemons):
            daemon.terminate()
            daemon.wait()


def _daemon(command: list[str], home: Path) -> "subprocess.Popen[bytes]":
    with (home / f"{command[0]}-{command[-1].rpartition('/')[2]}.out").open("wb") as out:
        return subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True, env={"PATH": _path()}
        )


def _is_ready(slurm: Slurm) -> bool:
    try:
        return slurm("sinfo", "--noheader", "--Node", "--format=%T").split() == ["idle", "idle"]
    except AssertionError:  # the controller does not answer yet
        return False


def _path() -> str:
    return f"{os.environ['PATH']}:/usr/sbin:/sbin"


def _configuration(home: Path) -> str:
    host = socket.gethostname().split(".")[0]
    address = socket.gethostbyname(host)
    nodes = [
        f"NodeName=127.0.0.{node} NodeHostname={host} NodeAddr={address} Port={_PORT + node} CPUs=16 RealMemory=4000"
        for node in (1, 2)
    ]
    lines = [
        "ClusterName=here",
        f"SlurmctldHost={host}({address})",
        f"SlurmctldPort={_PORT}",
        "SlurmUser=root",
        "AuthType=auth/munge",
        f"AuthInfo=socket={home}/munge/socket,cred_expire=5",  # a job waits that long before it runs again
        "MailProg=/bin/true",
        "CommunicationParameters=NoInAddrAny,NoCtldInAddrAny",
        f"StateSaveLocation={home}/state",
        f"SlurmdSpoolDir={home}/spool.%n",
        f"SlurmctldPidFile={home}/slurmctld.pid",
        f"SlurmdPidFile={home}/slurmd.%n.pid",
        "ProctrackType=proctrack/linuxproc",
        "TaskPlugin=task/none",
        "SelectType=select/cons_tres",
        "SelectTypeParameters=CR_CPU",
        "SlurmdParameters=config_overrides",
        "SchedulerParameters=sched_interval=2,bf_interval=2",
        "ReturnToService=2",
        *nodes,
        "PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP",
    ]
    return "\n".join(lines) + "\n"
