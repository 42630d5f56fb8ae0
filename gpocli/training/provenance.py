"""How an attempt at a run is made, as its manifest keeps it: versions, code, data, settings and machine.

{
 "processes": 2,
 "from_step": 0,                                   the step that it goes on after
 "command": ["gpo", "train", "gfpo", ...],
 "folder": "/home/me/project",                     where it was started
 "versions": {"python": ..., "gpocli": ..., "torch": ..., "transformers": ..., "trl": ...},
 "plugins": {"filter 'lines'": "gpo-filter-lines 1.0"},
 "sources": {"data 'train.jsonl'": SHA-256, "reward './mine.py:f'": SHA-256},
 "origins": {"run.steps": "--steps", "optim.learning_rate": "run.yaml:7:3"},
 "git": {"commit": ..., "branch": ..., "is_clean": true} or null,
 "machine": {"host": ..., "system": ..., "cpus": 2, "memory": bytes, "devices": ["cpu"]}
}
"""

import os
import platform
import shutil
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gpocli.checks.preflight import Preflight
from gpocli.training.agreement import versions

_PATIENCE = 5.0
"""Seconds in which git has to answer."""


def provenance(ready: Preflight, *, processes: int, from_step: int) -> dict[str, Any]:
    """What is known before anything loads; `devices` is added to `machine` by whoever knows them."""
    return {
        "processes": processes,
        "from_step": from_step,
        "command": [Path(sys.argv[0]).name.replace("__main__.py", "gpo"), *sys.argv[1:]],
        "folder": str(Path.cwd()),
        "versions": versions(),
        "plugins": dict(ready.plugins),
        "sources": dict(ready.sources),
        "origins": dict(ready.origins),
        "git": git_state(Path.cwd()),
        "machine": machine(),
    }


def machine(devices: Sequence[str] = ()) -> dict[str, Any]:
    """This machine; `memory` is in bytes, null where the system does not tell."""
    return {
        "host": socket.gethostname(),
        "system": platform.platform(),
        "cpus": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "memory": _memory(),
        "devices": list(devices),
    }


def devices(kind: str) -> list[str]:
    """The names of the devices of a kind (torch's word) that this process sees. torch must be loaded."""
    if kind != "cuda":
        return [kind]
    import torch

    return [torch.cuda.get_device_name(number) for number in range(torch.cuda.device_count())]


def git_state(folder: Path) -> dict[str, str | bool | None] | None:
    """The commit that a folder is at, its branch, and whether tracked files are as they were; None outside of git."""
    commit = _git(folder, "rev-parse", "--verify", "--quiet", "HEAD")
    if commit is None:
        return None
    branch = _git(folder, "symbolic-ref", "--short", "--quiet", "HEAD")
    changed = _git(folder, "status", "--porcelain", "--untracked-files=no")
    return {"commit": commit, "branch": branch, "is_clean": None if changed is None else not changed}


def _git(folder: Path, *arguments: str) -> str | None:
    program = shutil.which("git")
    if program is None:
        return None
    command = [program, "--no-optional-locks", "-C", str(folder), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=_PATIENCE, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def _memory() -> int | None:
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None
