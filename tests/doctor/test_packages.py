"""Versions against ranges and against what was tested, and the health of plugins."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.specifiers import SpecifierSet

from gpocli.contracts.installed import BrokenPlugin
from gpocli.doctor.finding import Finding
from gpocli.doctor.packages import (
    NEWEST_TESTED,
    check_package,
    check_plugins,
    check_python,
    check_versions,
    stated_ranges,
)
from gpocli.errors import PluginError
from gpocli.plugin_manager import load_plugins

ROOT = Path(__file__).parents[2]
TRL = SpecifierSet(">=1.14.2,<1.17")


def test_the_newest_tested_are_those_of_the_constraints():
    pins = dict(re.findall(r"^([\w-]+)==(\S+)$", (ROOT / "constraints.txt").read_text(), re.MULTILINE))
    assert {name: pins[name] for name in NEWEST_TESTED} == NEWEST_TESTED


def test_the_ranges_are_those_of_the_project():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    stated = {line for line in project["dependencies"] if line.startswith(("torch", "trl"))}
    ranges = stated_ranges()
    assert stated == {"torch>=2.6", "trl>=1.14.2,<1.17"}
    assert ranges["torch"] == SpecifierSet(">=2.6")
    assert ranges["trl"] == TRL
    assert ranges["accelerate"]  # TRL's


@pytest.mark.parametrize(
    ("installed", "finding"),
    [
        ("1.16.0", Finding("trl", "ok", "trl 1.16.0")),
        ("1.14.2", Finding("trl", "ok", "trl 1.14.2")),
        (
            "1.16.1",
            Finding(
                "trl",
                "warn",
                "trl 1.16.1 is newer than 1.16.0, the newest tested",
                "if something fails: pip install 'trl==1.16.0'",
            ),
        ),
        (
            "1.17.0",
            Finding("trl", "problem", "trl 1.17.0, but gpo needs >=1.14.2,<1.17", "pip install 'trl>=1.14.2,<1.17'"),
        ),
        (None, Finding("trl", "problem", "trl is not installed", "pip install 'trl>=1.14.2,<1.17'")),
    ],
)
def test_a_package_is_held_against_range_and_tests(installed, finding):
    assert check_package("trl", installed, TRL) == finding


def test_a_build_of_the_tested_version_is_not_newer():
    assert check_package("torch", "2.13.0+cpu", SpecifierSet(">=2.6")).state == "ok"


def test_what_only_some_runs_need_may_be_missing():
    assert check_package("peft", None, SpecifierSet(">=0.18")) == Finding(
        "peft", "ok", "peft is not installed; only model.lora needs it: pip install 'gpocli[peft]'"
    )


def test_an_old_python_is_a_problem():
    assert check_python("3.10.4", ">=3.11") == Finding(
        "python", "problem", "python 3.10.4, but gpo needs >=3.11", "install gpo under another Python"
    )


def test_this_installation_has_no_problem():
    found = list(check_versions())
    assert [finding.topic for finding in found[:5]] == ["python", "gpo", "torch", "transformers", "trl"]
    assert not [finding for finding in found if finding.state == "problem"]


def test_plugins_are_counted_and_the_broken_ones_named():
    host = load_plugins(entry_points=False)
    host.broken.append(BrokenPlugin("red", "gpo-red", "2.0", "ImportError: no blue (red.py:1)"))
    counted, broken = check_plugins(lambda: host)
    assert (counted.state, counted.text.split()[:2]) == ("ok", ["1", "plugin"])
    assert broken == Finding(
        "plugins",
        "warn",
        "plugin 'red' (gpo-red 2.0) is broken: ImportError: no blue (red.py:1)",
        "mend or update it, or: pip uninstall gpo-red",
    )


def test_plugins_that_cannot_be_loaded_at_all_are_a_problem():
    def load():
        raise PluginError("plugin 'red' is broken")

    assert list(check_plugins(load)) == [
        Finding(
            "plugins",
            "problem",
            "plugin 'red' is broken",
            "see GPO_PLUGINS and GPO_PLUGINS_STRICT, or use --no-plugins",
        )
    ]
