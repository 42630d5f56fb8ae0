"""The help of `gpo train` shows the defaults that hold, and fits a screen."""

import re

import pytest
from typer.testing import CliRunner

from gpocli.cli.main import app
from gpocli.cli.spec_command import flags_of
from gpocli.spec.algorithms import algorithms
from gpocli.spec.sources import SpecSources, load_run_spec

WORDS = {"--epsilon-high": "as --epsilon", "--keep": "half, with --filter", "--out": "runs/<name>"}
"""What is shown in place of null."""


def help_of(*command):
    done = CliRunner().invoke(app, [*command, "--help"], env={"COLUMNS": "80", "NO_COLOR": "1"})
    assert done.exit_code == 0
    return done.stdout


def value_at(spec, path):
    for key in path.split("."):
        spec = getattr(spec, key)
    return [item.name for item in spec] if isinstance(spec, list) else spec


def holds(word, value, flag):
    """Whether the help says `word` of a flag whose default is `value`."""
    if value is False:
        return word == "off"
    if value in (None, []):
        return word == WORDS.get(flag, "none")
    return float(word) == value if isinstance(value, int | float) else word == (value if value else "")


@pytest.mark.parametrize("algorithm", algorithms())
def test_shown_defaults_are_those_of_the_spec(algorithm):
    text = " ".join(re.sub("[│\n]", " ", help_of("train", algorithm)).split())
    ours, other = (
        load_run_spec(SpecSources(overrides=[f"algorithm.type={algorithm}", *more], environment={})).spec
        for more in ([], ["model.name=owner/model"])
    )
    for one in flags_of(algorithm):
        path, flag = one.setting.path, one.flag.name
        shown = re.search(rf" {flag} (?:(?! --).)*? \(([^()]+)\)", text)
        if path == "data.columns":
            continue
        assert shown is not None, flag
        plain, _, embedded = shown[1].partition("; embedded ")
        value = "embedded" if path == "model.name" else value_at(other, path)
        value = value[0] if isinstance(value, list) and value else value
        assert holds(plain, value, flag), flag
        if embedded:
            assert float(embedded) == value_at(ours, path), flag


@pytest.mark.parametrize("algorithm", algorithms())
def test_help_fits_fifty_lines(algorithm):
    assert len(help_of("train", algorithm).splitlines()) <= 50


OF_TRAIN = {"--resume", "--dry-run", "--smoke", "--log-format"}


@pytest.mark.parametrize("command", [("check",), ("plan",), ("config", "show")])
def test_every_flag_of_train_is_one_of_check_plan_and_show(command):
    of_train = {flag for name in algorithms() for flag in re.findall(r" (--[a-z-]+)", help_of("train", name))}
    assert of_train - set(re.findall(r" (--[a-z-]+)", help_of(*command))) == OF_TRAIN
