"""Which folder may import which, by whatever means; no cycle between files; and what is light stays light."""

import subprocess
import sys
from dataclasses import dataclass

import pytest

from tests.source_imports import PACKAGE, Reach, Sources, cycles, module_of, reaches, sources, unit_of


@dataclass(frozen=True)
class May:
    """What the files of a folder may reach. A folder always may import itself."""

    imports: str = ""
    """Folders and modules of ours; each stands above in the table."""
    heavy: str = ""
    """Libraries that take seconds to load."""
    names: str = ""
    """Folders further down whose modules stand in a "module:Class" string, imported when a run needs them."""
    typing: str = ""
    """Folders further down that are imported for type checkers alone."""
    loads: bool = False
    """Whether it imports modules whose name it is told while running."""


HEAVY = {"accelerate", "datasets", "pandas", "peft", "torch", "transformers", "trl"}
TABLE = {
    "errors": May(),
    "settings": May("errors"),
    "extensions": May("settings", names="trainers"),
    "hookspecs": May("extensions"),
    "contracts": May("errors extensions hookspecs settings", loads=True),
    "embedded": May(),
    "maths": May("errors"),
    "columns": May("errors maths"),
    "presets": May("contracts errors"),
    "glossary": May("errors"),
    "scaffold": May("errors"),
    "rollout": May("errors", heavy="torch transformers"),
    "algorithms": May("extensions settings", heavy="torch", names="trainers"),
    "data": May("columns contracts embedded errors settings", heavy="datasets transformers"),
    "builtin": May(
        "algorithms columns contracts errors extensions hookspecs maths", names="policy", loads=True
    ),  # a reward model, once it is asked for scores
    "plugin_manager": May("contracts errors extensions settings", names="builtin", loads=True),
    "spec": May("embedded errors extensions plugin_manager presets settings"),
    "policy": May("data embedded errors settings", heavy="peft torch transformers"),
    "runs": May("errors spec"),
    "evaluation": May("errors runs"),
    "sharing": May(
        "data embedded errors evaluation extensions policy runs settings spec", heavy="peft torch transformers"
    ),
    "launch": May("errors spec"),
    "serving": May("embedded errors settings spec"),
    "trainers": May(
        "algorithms contracts data embedded errors evaluation extensions rollout runs serving sharing",
        heavy="accelerate peft torch transformers trl",
    ),
    "checks": May(
        "builtin columns contracts data embedded errors evaluation plugin_manager policy serving settings spec trainers"
    ),
    "display": May("glossary runs"),
    "planning": May("checks contracts data embedded errors settings spec"),
    "trial": May("builtin contracts data errors extensions plugin_manager runs settings spec"),
    "replay": May("contracts data errors plugin_manager runs settings spec"),
    "doctor": May("errors plugin_manager"),
    "training": May(
        "checks contracts data display embedded errors policy runs serving sharing spec trainers",
        heavy="accelerate datasets torch transformers",
        loads=True,
    ),
    "asking": May(
        "checks columns data embedded errors policy rollout runs settings spec", heavy="peft torch transformers"
    ),
    "measuring": May(
        "asking columns contracts data embedded errors evaluation plugin_manager replay runs settings spec"
    ),
    "sweep": May("checks errors runs spec"),
    "report": May("errors evaluation runs"),
    "cli": May(
        "asking checks contracts data display doctor errors evaluation extensions glossary launch measuring "
        "planning plugin_manager presets replay report runs scaffold serving settings sharing spec sweep training trial"
    ),
    "__main__": May("cli"),
    "__init__": May("extensions hookspecs settings trainers", loads=True),
}
"""From the lowest to the highest."""


def strays(files: Sources) -> list[str]:
    """What no row of the table allows, one line each."""
    return [
        f"{found.file}:{found.line} {'names' if found.kind == 'name' else 'imports'} {found.target}"
        for found in reaches(files)
        if not is_allowed(found)
    ]


def is_allowed(found: Reach) -> bool:
    unit, target = unit_of(module_of(found.file)), unit_of(found.target)
    row = TABLE.get(unit, May())
    if found.kind == "loads":
        return row.loads
    if found.target.split(".")[0] in HEAVY:
        return found.target.split(".")[0] in row.heavy.split()
    if found.target.split(".")[0] != PACKAGE:
        return True
    extra = {"name": row.names, "typing": row.typing}.get(found.kind, "")
    return target in {unit, *row.imports.split(), *extra.split()}


def import_cycles(files: Sources) -> list[list[str]]:
    """Files that need each other, at the top or later."""
    modules = {module_of(file) for file in files} - {PACKAGE}
    edges = {(module_of(found.file), found.target) for found in reaches(files) if is_needed(found)}
    return list(cycles({(start, end) for start, end in edges if {start, end} <= modules}))


def is_needed(found: Reach) -> bool:
    """Not what the table lets a file name, and not the name of its own package, which finds the files beside it."""
    module = module_of(found.file)
    if found.kind == "name":
        return not module.startswith(f"{found.target}.") and unit_of(found.target) not in may_name(module)
    return found.kind == "import"


def may_name(module: str) -> list[str]:
    return TABLE[unit_of(module)].names.split()


def test_every_folder_has_a_row():
    assert {unit_of(module_of(file)) for file in sources()} == TABLE.keys()


@pytest.mark.parametrize("unit", TABLE)
def test_a_folder_imports_only_what_stands_above_it(unit):
    assert set(TABLE[unit].imports.split()) <= set(list(TABLE)[: list(TABLE).index(unit)])


def test_only_trainers_may_import_trl():
    assert [unit for unit, may in TABLE.items() if "trl" in may.heavy.split()] == ["trainers"]


def test_every_import_is_allowed():
    assert strays(sources()) == []


def test_no_files_import_each_other():
    assert import_cycles(sources()) == []


PLANTED = {
    "at the top": ("contracts", "from gpocli.trial.report import Report", ["imports gpocli.trial.report"]),
    "of a folder": ("contracts", "from gpocli import trial", ["imports gpocli.trial"]),
    "under another name": ("contracts", "import gpocli.trial.report as r", ["imports gpocli.trial.report"]),
    "in a function": (
        "contracts",
        "def late():\n    from gpocli.trial.report import Report",
        ["imports gpocli.trial.report"],
    ),
    "under if": (
        "contracts",
        "import sys\nif sys.argv:\n    import gpocli.trial.report",
        ["imports gpocli.trial.report"],
    ),
    "of a root name": ("contracts", "from gpocli import GFPOTrainer", ["imports gpocli.trainers.gfpo"]),
    "of a root attribute": (
        "contracts",
        "import gpocli as g\nmine = g.GFPOTrainer",
        ["imports gpocli.trainers.gfpo"],
    ),
    "of all root names": ("contracts", "from gpocli import *", ["imports gpocli"]),
    "by import_module": (
        "settings",
        "from importlib import import_module as load\nload('gpocli.trial.report')",
        ["imports import_module", "names gpocli.trial.report"],
    ),
    "by importlib": (
        "contracts",
        "import importlib\nimportlib.import_module('..trial.report', __package__)",
        ["imports gpocli.trial.report"],
    ),
    "by __import__": (
        "settings",
        "there = __import__('gpo' + 'cli.trial')",
        ["imports __import__", "imports gpocli.trial"],
    ),
    "by a computed name": (
        "settings",
        "import importlib\nimportlib.import_module(''.join(['gpo', 'cli']))",
        ["imports import_module"],
    ),
    "by a module:Class string": (
        "settings",
        "trainer = 'gpocli.trainers.gfpo:GFPOTrainer'",
        ["names gpocli.trainers.gfpo"],
    ),
    "by the start of a name": (
        "settings",
        "def home(name):\n    return f'gpocli.trial.{name}'",
        ["names gpocli.trial"],
    ),
    "by a relative import": ("contracts", "from ..trial import report", ["imports gpocli.trial.report"]),
    "for type checkers": (
        "contracts",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from gpocli.trial.report import Report",
        ["imports gpocli.trial.report"],
    ),
    "of torch in a function": ("settings", "def late():\n    import torch.nn", ["imports torch.nn"]),
    "of trl outside trainers": ("training", "from trl import GRPOConfig", ["imports trl.GRPOConfig"]),
}


def around(planted: Sources) -> Sources:
    """Planted files among all others, whose names alone matter: what those reach themselves is not looked at."""
    root = f"{PACKAGE}/__init__.py"
    return dict.fromkeys(sources(), "") | {root: sources()[root]} | dict(planted)


@pytest.mark.parametrize(("folder", "text", "found"), PLANTED.values(), ids=PLANTED)
def test_a_planted_import_is_caught(folder, text, found):
    planted = f"gpocli/{folder}/planted.py"
    mine = [line for line in strays(around({planted: text})) if line.startswith(planted)]
    assert sorted(line.split(" ", 1)[1] for line in mine) == sorted(found)


CYCLES = {
    "of two": {"a": "from gpocli.trial import b", "b": "from gpocli.trial.a import x"},
    "of two in functions": {"a": "def f():\n    import gpocli.trial.b", "b": "def f():\n    from . import a"},
    "of three": {"a": "import gpocli.trial.b", "b": "import gpocli.trial.c", "c": "import gpocli.trial.a"},
    "through a string": {"a": "import gpocli.trial.b", "b": "late = 'gpocli.trial.a:x'"},
}


@pytest.mark.parametrize("texts", CYCLES.values(), ids=CYCLES)
def test_a_planted_cycle_is_caught(texts):
    planted = {f"gpocli/trial/{name}.py": text for name, text in texts.items()}
    ring = [f"gpocli.trial.{name}" for name in texts]
    assert [found for found in import_cycles(around(planted)) if set(found) & set(ring)] == [ring]


def test_an_import_for_type_checkers_makes_no_cycle():
    under = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import gpocli.trial.a"
    planted = {"gpocli/trial/a.py": "import gpocli.trial.b", "gpocli/trial/b.py": under}
    assert [found for found in import_cycles(around(planted)) if "gpocli.trial.a" in found] == []


def test_what_may_be_named_is_no_cycle():
    """An algorithm names its trainer, which imports its mathematics."""
    planted = {
        "gpocli/algorithms/a.py": "trainer = 'gpocli.trainers.a:T'",
        "gpocli/trainers/a.py": "import gpocli.algorithms.a",
    }
    assert [found for found in import_cycles(around(planted)) if "gpocli.trainers.a" in found] == []


COMMANDS = (
    ["--help"],
    ["--version"],
    ["plugins", "list"],
    ["explain"],
    ["explain", "entropy"],
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
