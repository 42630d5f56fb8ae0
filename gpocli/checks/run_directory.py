"""The run directory, as far as can be told without making it."""

import os
from pathlib import Path

from gpocli.checks.findings import Findings
from gpocli.settings.run import RunSettings


def check_run_directory(findings: Findings) -> None:
    """Find a run directory that can never be made: a file stands there, or above it."""
    path = chosen_directory(findings.spec.run)
    if path is None or not findings.are_sound("run.dir", "run.name"):
        return
    for above in (path, *path.parents):
        if os.path.lexists(above):  # a link that leads nowhere is in the way as well
            if not above.is_dir():
                findings.add("run.dir" if findings.spec.run.dir else "run.name", f"'{above}' is a file; name a folder")
            elif not os.access(above, os.W_OK):
                findings.add("run.dir", f"'{above}' cannot be written to; name another folder", "environment")
            return


def chosen_directory(run: RunSettings) -> Path | None:
    """Where a run goes; None where its folder is made from the method and the time."""
    if run.dir is not None:
        return Path(run.dir).expanduser()
    return None if run.name is None else Path("runs") / run.name
