"""Every example is sound, and the script runs."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"
SPECS = sorted(EXAMPLES.glob("*.yaml"))


@pytest.mark.parametrize("spec", SPECS, ids=[spec.stem for spec in SPECS])
def test_a_spec_passes_the_check(spec, tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "gpocli", "check", str(spec)], capture_output=True, text=True, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr


def test_the_table_names_every_example():
    table = (EXAMPLES / "README.md").read_text()
    assert [
        path.name for path in sorted(EXAMPLES.iterdir()) if path.suffix in (".yaml", ".py") and path.name not in table
    ] == []


def test_a_script_for_trl_runs_with_the_import_changed(tmp_path):
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / "from_trl.py")],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=os.environ | {"HF_HUB_OFFLINE": "1"},
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert "'kept/share': '0.5'" in done.stdout
