"""The README tells what is: its commands parse, its code runs, its map is the tree."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
COMMANDS = sorted(
    {
        line.split("#")[0].strip()
        for line in README.splitlines()
        if re.match(r"gpo (train|plugins|check|plan|init)", line)
    }
)
UNMAPPED = {"gpocli/__init__.py", "gpocli/__main__.py", "gpocli/py.typed"}


def test_the_map_is_the_tree():
    mapped = re.findall(r"^\| `([\w./]+)` \|", README.split("## Files")[1], flags=re.MULTILINE)
    package = {f"gpocli/{path.name}" for path in (ROOT / "gpocli").iterdir() if path.name != "__pycache__"}
    folders = {"plugins", "examples", "benchmarks", "docs", "tests"}
    assert set(mapped) == (package - UNMAPPED) | folders
    assert len(mapped) == len(set(mapped))


@pytest.mark.parametrize("command", [command for command in COMMANDS if command.startswith("gpo train")])
def test_a_train_command_says_what_the_spec_takes(command, monkeypatch):
    """Its flags exist and hold sound values; files and models of the examples are not there."""
    from typer.testing import CliRunner

    from gpocli.cli.main import app
    from gpocli.spec.load import load_spec
    from gpocli.training import run

    given = []
    monkeypatch.setattr(run, "train", lambda sources, **_: given.append(sources))
    result = CliRunner().invoke(app, command.split()[1:], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    load_spec([], given[0].overrides, given[0].flags)


def test_the_makefile_has_the_targets():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE))
    named = set(re.findall(r"^make ([a-z- ]+?)(?:\s+#|$)", README, flags=re.MULTILINE))
    assert {target for text in named for target in text.split()} <= targets


def test_python_blocks_parse_and_their_imports_exist():
    blocks = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    imports = [
        ast.unparse(node)
        for block in blocks
        for node in ast.walk(ast.parse(block))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("gpocli")
    ]
    assert imports
    exec("\n".join(imports), {})


def test_the_plugin_of_ten_lines_works(tmp_path):
    block = next(block for block in re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL) if "hookimpl" in block)
    (tmp_path / "mine.py").write_text(block)
    done = subprocess.run(
        [sys.executable, "-m", "gpocli", "filters", "test", "./mine.py:fewest_lines"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_spec_of_the_readme_is_sound(tmp_path):
    from gpocli.spec.load import load_spec

    (tmp_path / "run.yaml").write_text(next(iter(re.findall(r"```yaml\n(.*?)```", README, flags=re.DOTALL))))
    assert load_spec([tmp_path / "run.yaml"]).spec.optim.learning_rate == 1e-6


def test_links_lead_somewhere():
    for target in re.findall(r"\]\((?!http)([^)#]+)\)", README):
        assert (ROOT / target).exists(), target
