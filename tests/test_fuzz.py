"""No mutated spec, data file or command line brings forth a traceback; `python -m tests.fuzz` tries more of them."""

import subprocess
import sys
from pathlib import Path

import pytest

CORPUS = Path(__file__).parent / "corpus"


@pytest.mark.parametrize(
    "counts",
    [
        pytest.param(("--specs", "2", "--data", "3", "--commands", "3", "--corpus", str(CORPUS)), id="few"),
        pytest.param(("--specs", "100", "--data", "100", "--commands", "50", "--seed", "1"), marks=pytest.mark.slow),
    ],
)
def test_commands_take_whatever_they_are_given(counts):
    command = [sys.executable, "-m", "tests.fuzz", *counts]
    done = subprocess.run(command, capture_output=True, text=True, cwd=Path(__file__).parents[1])
    assert done.returncode == 0, done.stdout + done.stderr
