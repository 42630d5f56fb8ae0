"""Every example is sound, and the script runs."""

from pathlib import Path

import pytest

from tests.cli.command import Folder

EXAMPLES = Path(__file__).parent.parent / "examples"
SPECS = sorted(EXAMPLES.glob("*.yaml"))


@pytest.mark.parametrize("spec", SPECS, ids=[spec.stem for spec in SPECS])
def test_a_spec_passes_the_check(spec, tmp_path):
    done = Folder(tmp_path / "work", tmp_path / "streams").gpo("check", spec)
    assert done.code == 0, done.stderr


def test_the_table_names_every_example():
    table = (EXAMPLES / "README.md").read_text()
    assert [
        path.name for path in sorted(EXAMPLES.iterdir()) if path.suffix in (".yaml", ".py") and path.name not in table
    ] == []


def test_a_script_for_trl_runs_with_the_import_changed(tmp_path):
    done = Folder(tmp_path / "work", tmp_path / "streams").start_script(EXAMPLES / "from_trl.py").outcome()
    assert done.code == 0, done.stderr[-2000:]
    assert "'kept/share': '0.5'" in done.stdout
