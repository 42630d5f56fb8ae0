"""A run as a job of SLURM: the file for `sbatch`."""

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path

GRACE = 60
"""Seconds before the limit of the job at which the run is told to save."""

_TIME = re.compile(r"\d+(:\d\d){0,2}|\d+-\d\d?(:\d\d){0,2}")
"""What `--time` of sbatch reads: minutes, M:SS, H:MM:SS, D-HH and longer."""


@dataclass(frozen=True, slots=True)
class SlurmJob:
    """What the file says.

    `train` and `resume` are the words after `gpo train` without the run directory; `server` those after `gpo serve`,
    None without a server; `more` are lines for sbatch. `nodes` train, with `processes` each; one more has the server.
    `run_directory` is a word of the shell. `time` is as SLURM reads it, None for the default of the cluster.
    """

    name: str
    nodes: int
    gpus: int
    processes: int
    time: str | None
    python: str
    train: Sequence[str]
    resume: Sequence[str]
    run_directory: str
    server: Sequence[str] | None = None
    grace: int = GRACE
    more: Sequence[str] = field(default_factory=tuple)


def sbatch_text(job: SlurmJob) -> str:
    """The text of the file."""
    return _template("job.sh").format(
        head="\n".join(f"#SBATCH {line}" for line in _head(job)),
        python=shlex.quote(job.python),
        run=job.run_directory,
        server=_server(job),
        train=shlex.join(job.train),
        resume=shlex.join(job.resume),
        place=' "${place[@]}"' if job.server is not None else "",
        nodes=job.nodes,
        tasks=job.nodes * job.processes,
        processes=job.processes,
        on_server=' "${on_server[@]}"' if job.server is not None else "",
        end_server='kill "$server" 2>/dev/null\n' if job.server is not None else "",
    )


def job_name(name: str | None, specs: Sequence[Path], algorithm: str) -> str:
    """The name of the run, else of its last spec file, else of its algorithm, in letters that need no quotes."""
    found = name or (specs[-1].stem if specs else algorithm)
    return re.sub(r"[^\w.+-]+", "-", found, flags=re.ASCII).strip("-.") or algorithm


def wrong_lines(time: str | None, more: Sequence[str]) -> str | None:
    """Why sbatch would not take a limit or one of the lines more; None where it may."""
    if time is not None and not _TIME.fullmatch(time):
        return f"--time '{time}' is no limit of SLURM; write minutes, H:MM:SS or D-HH:MM:SS, as 4:00:00"
    wrong = next((line for line in more if not line.startswith("-") or "\n" in line), None)
    if wrong is not None:
        return f"--sbatch '{wrong}' is no option of sbatch; write it as --sbatch=--partition=a100"
    return None


def run_directory(path: str | None, name: str) -> str:
    """The word of the shell for the run directory; without a path one for each job, the same when it runs again."""
    return shlex.quote(path) if path is not None else f'runs/{name}-"$SLURM_JOB_ID"'


def _head(job: SlurmJob) -> list[str]:
    lines = [
        f"--job-name={job.name}",
        f"--nodes={job.nodes + (job.server is not None)}",
        f"--ntasks-per-node={job.processes}",
    ]
    if job.gpus:
        lines.append(f"--gpus-per-node={job.gpus}")
    if job.time is not None:
        lines.append(f"--time={job.time}")
    own = [f"--output={job.name}-%j.log", "--open-mode=append", "--requeue", f"--signal=B:USR1@{job.grace}"]
    return [*lines, *own, *job.more]


def _server(job: SlurmJob) -> str:
    if job.server is None:
        return ""
    return _template("server.sh").format(serve=shlex.join(job.server), gpus=job.gpus or 1)


def _template(name: str) -> str:
    return (files(__package__) / "templates" / name).read_text(encoding="utf-8")
