"""The help of `gpo train` shows the defaults that hold, and fits a screen."""

import re

import pytest
from typer.testing import CliRunner

from gpocli.cli.main import app
from gpocli.cli.train import _PLACES
from gpocli.spec.sources import SpecSources, load_run_spec


def help_of(algorithm):
    done = CliRunner().invoke(app, ["train", algorithm, "--help"], env={"COLUMNS": "80", "NO_COLOR": "1"})
    assert done.exit_code == 0
    return done.stdout


def value_at(spec, path):
    for key in path.split("."):
        spec = getattr(spec, key)
    return spec


@pytest.mark.parametrize("algorithm", ["gfpo", "gmpo", "grpo"])
def test_shown_defaults_are_those_of_the_spec(algorithm):
    text = help_of(algorithm)
    flags = {"algorithm.type": algorithm}
    ours = load_run_spec(SpecSources(flags=flags, environment={})).spec
    other = load_run_spec(SpecSources(flags=flags | {"model.name": "owner/model"}, environment={})).spec
    checked = 0
    for _, flag, path in _PLACES:
        line = re.search(rf"{flag} .*\(([^()]+)\) *│$", text, flags=re.MULTILINE)
        if line is None or path in ("model.name", "data.source", "algorithm.filters", "algorithm.epsilon_high"):
            continue
        plain, _, embedded = line[1].partition("; embedded ")
        if path == "algorithm.keep" and algorithm == "gmpo":
            continue
        assert float(plain) == value_at(other, path), flag
        assert float(embedded or plain) == value_at(ours, path), flag
        checked += 1
    assert checked >= 9


@pytest.mark.parametrize("algorithm", ["gfpo", "gmpo", "grpo"])
def test_help_fits_fifty_lines(algorithm):
    assert len(help_of(algorithm).splitlines()) <= 50
