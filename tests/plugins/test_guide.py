"""The plugin guide: its code blocks are files that work, and its facts are those of the program."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from gpocli.cli.main import app
from gpocli.contracts.filter import GroupFilter
from gpocli.contracts.filter_call import FILTER_KEYWORDS
from gpocli.contracts.plugin import extensions_of
from gpocli.contracts.race import why_no_race
from gpocli.contracts.reference import import_file
from gpocli.contracts.reward import checked_rewards
from gpocli.plugin_manager import load_plugins
from gpocli.spec.trl_schema import trl_options

GUIDE = (Path(__file__).parents[2] / "docs" / "plugins.md").read_text()
FILES = dict(re.findall(r"```(?:python|toml)\n# file: (\S+)\n(.*?)```", GUIDE, flags=re.DOTALL))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with every file of the guide, and nothing else."""
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments, path):
    environment = {**os.environ, "PYTHONPATH": str(path), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run([sys.executable, *arguments], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_every_block_of_code_is_a_file_that_is_run_here():
    blocks = re.findall(r"```(?:python|toml)\n(.*)\n", GUIDE)
    assert [block.removeprefix("# file: ") for block in blocks] == list(FILES)


def test_its_tests_pass(folder):
    assert "5 passed" in run("-m", "pytest", "-q", "-p", "no:cacheprovider", "test_words.py", path=folder)


def test_its_package_installs_and_gives_the_filter(folder):
    options = ["--quiet", "--disable-pip-version-check", "--no-index", "--no-deps", "--no-build-isolation"]
    run("-m", "pip", "install", *options, "--target", "installed", ".", path="")
    code = (
        "from gpocli.plugin_manager import load_plugins; from gpocli.contracts.filter import GroupFilter\n"
        "f = GroupFilter([load_plugins().build_filter('fewest_words', {'at_least': 2})])\n"
        "print(f.score([['a', 'a b', 'a b c']], None))"
    )
    (folder / "gpo_fewest_words.py").unlink()
    assert run("-c", code, path=folder / "installed") == "[[(-1000000.0,), (-2.0,), (-3.0,)]]\n"


def test_its_references_lead_to_filters_and_rewards(folder):
    host = load_plugins(entry_points=False)
    for kind, build in (("filter", host.build_filter), ("reward", host.build_reward)):
        references = set(re.findall(rf"--{kind} (\./\S+)", GUIDE))
        assert references
        assert all(callable(build(reference).function) for reference in references)


def test_its_algorithm_keeps_the_contract(folder):
    (bnpo,) = extensions_of(import_file("gpo_bnpo.py", "plugin")).algorithms
    assert bnpo.takes_filters
    assert {*bnpo.options, *bnpo.refused} <= trl_options().keys()


def test_its_filter_that_keeps_fewer_keeps_half_of_the_solved(folder):
    named = load_plugins(entry_points=False).build_filter("./solved.py:FewerOfSolved")
    assert GroupFilter([named]).keep_counts(5, [[1.0, 1.0], [1.0, 0.0]]) == [3, 5]


def test_its_reward_and_filter_that_race_together_do(folder):
    host = load_plugins(entry_points=False)
    group_filter = GroupFilter([host.build_filter("./tidy.py:PaidThenShort")])
    rewards = checked_rewards([host.build_reward("./tidy.py:Tidy").function])
    assert why_no_race(group_filter, rewards, [1.0]) is None


def test_its_table_of_arguments_is_complete():
    told = set(re.findall(r"^\| `(\w+)` \|", GUIDE.split("## Options")[0], flags=re.MULTILINE))
    assert told == {"group_completions", "group_rewards", *FILTER_KEYWORDS}


def test_its_table_of_filters_is_right():
    rows = re.findall(r"^\| `(\w+)` \| [^|]* \| ([^|]*) \| (yes|no) \| (.*) \|$", GUIDE, flags=re.MULTILINE)
    host = load_plugins(entry_points=False)
    assert [row[0] for row in rows] == list(host.filters)
    for name, rewards, races, options in rows:
        group_filter = GroupFilter([host.build_filter(name)])
        assert group_filter.needs_rewards == (rewards == "needed")
        assert group_filter.can_race == (races == "yes")
        assert re.findall(r"`(\w+)`", options) == list(host.filters[name].extension.options.model_fields)


def test_its_commands_and_options_are_there(folder, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    commands = re.findall(r"^gpo ((?:filters|rewards|plugins) \w+)", GUIDE, flags=re.MULTILINE)
    assert len(set(commands)) >= 6
    for command in commands:
        shown = CliRunner().invoke(app, [*command.split(), "--help"])
        assert shown.exit_code == 0, command
        line = next(line for line in GUIDE.splitlines() if line.startswith(f"gpo {command}"))
        for option in re.findall(r" (--[a-z]+)", line.partition("#")[0]):
            assert option in shown.stdout
