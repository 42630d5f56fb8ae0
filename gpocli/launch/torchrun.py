"""The command that starts the processes of a run on one host or several: torchrun's."""

import os
import shlex
import signal
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from gpocli.errors import EnvironmentFault

SIGNALS = ("SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGUSR1")
"""Signals that torchrun hands on to the processes of a run; it dies of others, and they live on."""
_NAMES_SIGNALS = "--signals-to-handle"
_SAVING = "600"
"""Seconds that the processes have for a checkpoint, after which torchrun kills them; its own default is 30."""


@dataclass(frozen=True, slots=True)
class Meeting:
    """Where several hosts meet: their number, HOST:PORT of one of them, and a name that their runs share."""

    hosts: int
    endpoint: str
    name: str


@dataclass(frozen=True, slots=True)
class LaunchCommand:
    """What to run, and the variables that it needs."""

    arguments: Sequence[str]
    environment: Mapping[str, str]

    def __str__(self) -> str:
        """A line for a shell."""
        variables = [f"{name}={shlex.quote(value)}" for name, value in self.environment.items()]
        return " ".join([*variables, shlex.join(self.arguments)])


def torchrun_command(
    train: Sequence[str], processes: int, meeting: Meeting | None, present: Mapping[str, str]
) -> LaunchCommand:
    """`gpo train` with the arguments `train` in so many processes on this host.

    `present` are the variables of the caller, which win over those of the command.
    """
    needed = {"TORCH_ELASTIC_SHUTDOWN_TIMEOUT": _SAVING, "OMP_NUM_THREADS": "1"}
    if processes == 1:
        del needed["OMP_NUM_THREADS"]
    arguments = [
        *(sys.executable, "-m", "torch.distributed.run"),
        *("--nproc-per-node", str(processes)),
        *_rendezvous(meeting),
        *(_NAMES_SIGNALS, ",".join(_handed_on())),
        *("-m", "gpocli", "train", *train),
    ]
    return LaunchCommand(arguments, {name: value for name, value in needed.items() if name not in present})


def become(command: LaunchCommand) -> None:
    """Replace this process by the command; does not return. Raises `EnvironmentFault` for a torch that cannot."""
    require_signals()
    sys.stdout.flush()
    sys.stderr.flush()
    os.execve(command.arguments[0], list(command.arguments), {**os.environ, **command.environment})


def require_signals() -> None:
    """Raise `EnvironmentFault` where torchrun is missing, or too old to hand on signals. Does not import torch."""
    found = find_spec("torch")
    if found is None or found.origin is None:
        raise EnvironmentFault("torch is not installed here; pip install gpocli")
    file = Path(found.origin).with_name("distributed") / "run.py"
    if _NAMES_SIGNALS not in file.read_text(encoding="utf-8"):
        raise EnvironmentFault(
            f"the torchrun of this torch has no {_NAMES_SIGNALS}, so a signal would kill it and leave its processes; "
            "pip install -U torch"
        )


def _handed_on() -> list[str]:
    """All signals but those that are ignored here, as SIGHUP is after `nohup`: torchrun would be ended by them."""
    return [name for name in SIGNALS if signal.getsignal(signal.Signals[name]) is not signal.SIG_IGN]


def _rendezvous(meeting: Meeting | None) -> list[str]:
    if meeting is None:
        return ["--standalone"]
    return [
        *("--nnodes", str(meeting.hosts)),
        *("--rdzv-backend", "c10d", "--rdzv-endpoint", meeting.endpoint, "--rdzv-id", meeting.name),
    ]
