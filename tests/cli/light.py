"""Light `gpo` commands one after the other in a process of their own, and the heavy libraries that are there then."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

HEAVY = ("torch", "transformers", "trl", "datasets", "pandas", "numpy")

_EACH = """
import contextlib, io, json, sys
from gpocli.cli.main import main
commands, heavy = json.loads(sys.argv[1])
for command in commands:
    sys.argv = ["gpo", *command]
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.suppress(SystemExit):
        main()
    print(json.dumps([out.getvalue(), sorted(set(heavy) & sys.modules.keys())]))
"""


@dataclass(frozen=True)
class Light:
    """What a command printed, and the heavy libraries that it or one before it loaded."""

    out: str
    loaded: list[str]


def run_each(
    commands: Sequence[Sequence[str]], folder: Path, *, heavy: Sequence[str] = HEAVY, **environment: str
) -> list[Light]:
    """Run the commands in a folder, in a process without a word of torch."""
    done = subprocess.run(
        [sys.executable, "-c", _EACH, json.dumps([commands, heavy])],
        capture_output=True, text=True, cwd=folder, env=_without_colors(os.environ) | environment,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return [Light(*json.loads(line)) for line in done.stdout.splitlines()]


def _without_colors(environment: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environment.items() if name not in ("NO_COLOR", "FORCE_COLOR", "TERM")}
