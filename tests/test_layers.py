"""Imports go downwards only (design.md, section 3), and what is light stays light."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1] / "gpocli"
LAYERS = (
    {"errors"},
    {"settings"},
    {"extensions", "hookspecs"},
    {"contracts", "embedded", "maths", "presets", "rollout", "scaffold"},
    {"algorithms", "data"},
    {"builtin", "plugin_manager"},
    {"spec"},
    {"policy", "runs"},
    {"trainers"},
    {"checks", "display"},
    {"planning", "trial", "doctor", "training"},
    {"cli"},
)
"""From the lowest to the highest; a unit imports from its own layer and those below."""
RANKS = {unit: rank for rank, layer in enumerate(LAYERS) for unit in layer}
HEAVY = {"accelerate", "datasets", "pandas", "peft", "torch", "transformers", "trl"}
MAY_BE_HEAVY = {"algorithms", "data", "display", "embedded", "policy", "rollout", "trainers", "training"}
ENTRIES = {"__init__", "__main__"}


def imports_of(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module == "gpocli":
            yield from (f"gpocli.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


def unit_of(file: Path) -> str:
    return file.relative_to(ROOT).parts[0].removesuffix(".py")


def all_imports() -> list[tuple[Path, str]]:
    return [(file, name) for file in sorted(ROOT.rglob("*.py")) for name in imports_of(file)]


def test_every_module_has_a_layer():
    assert {unit_of(file) for file in ROOT.rglob("*.py")} - ENTRIES - RANKS.keys() == set()


def test_imports_go_downwards():
    upwards = [
        f"{file.relative_to(ROOT)} imports {name}"
        for file, name in all_imports()
        if name.startswith("gpocli.") and unit_of(file) not in ENTRIES
        if RANKS.get(name.split(".")[1], -1) > RANKS[unit_of(file)]
    ]
    assert upwards == []


def test_heavy_libraries_stay_in_their_layers():
    strays = [
        f"{file.relative_to(ROOT)} imports {name}"
        for file, name in all_imports()
        if name.split(".")[0] in HEAVY and unit_of(file) not in MAY_BE_HEAVY
    ]
    assert strays == []


def test_only_trainers_import_trl():
    assert {unit_of(file) for file, name in all_imports() if name.split(".")[0] == "trl"} == {"trainers"}


COMMANDS = (
    ["--help"],
    ["--version"],
    ["plugins", "list"],
    ["train", "--help"],
    ["train", "gfpo", "--help"],
    ["train", "gmpo", "--set", "optim.learing_rate=1"],
    ["train", "gfpo", "--filter", "lenght"],
    ["train", "gfpo", "--model", "./none"],
    ["train", "gfpo", "--resume", "--out", "none"],
)
RUN_EACH = f"""
import contextlib, io, sys
import gpocli
from gpocli.cli.main import main
for command in {COMMANDS!r}:
    sys.argv = ["gpo", *command]
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        with contextlib.suppress(SystemExit):
            main()
    print(command, sorted({HEAVY!r} & sys.modules.keys()))
"""


@pytest.fixture(scope="module")
def loaded(tmp_path_factory):
    """For each light command, one after the other in one process, the heavy libraries that are loaded after it."""
    done = subprocess.run(
        [sys.executable, "-c", RUN_EACH], capture_output=True, text=True, cwd=tmp_path_factory.mktemp("light")
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.parametrize("number", range(len(COMMANDS)), ids=[" ".join(command) for command in COMMANDS])
def test_light_commands_load_no_heavy_library(loaded, number):
    assert loaded[number] == f"{COMMANDS[number]} []"
