"""What holds for all guards: silent on healthy steps and on those that tell nothing; documented."""

import re
from pathlib import Path

import pytest

from gpocli.contracts.option_docs import option_docs
from gpocli.plugin_manager import load_plugins
from gpocli.trial.guard import HEALTHY, try_guard

GUARDS = load_plugins(entry_points=False).guards
PAGE = (Path(__file__).parents[3] / "docs" / "guards.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", GUARDS)
def test_it_keeps_the_contract_and_is_silent_on_a_healthy_run(name):
    assert try_guard(GUARDS[name].extension) == ("sound", [])


@pytest.mark.parametrize("name", GUARDS)
@pytest.mark.parametrize("figures", [{}, {"new_generation": False, "loss": 0.0}, HEALTHY], ids=["none", "old", "all"])
def test_it_is_silent_at_the_first_step(name, figures):
    guard = GUARDS[name].extension.build(GUARDS[name].extension.options())
    assert guard.check(figures) is None


@pytest.mark.parametrize("name", GUARDS)
def test_its_options_are_described(name):
    assert all(option.doc and option.default is not None for option in option_docs(GUARDS[name].extension.options))


def test_the_page_has_a_row_for_each_with_its_action_and_options():
    rows = dict(re.findall(r"^\| `(\w+)` \|(.*)$", PAGE.partition("## The built-in guards")[2], re.MULTILINE))
    assert list(rows) == list(GUARDS)
    for name, row in rows.items():
        extension = GUARDS[name].extension
        assert f"`{extension.action}`" in row
        for option in option_docs(extension.options):
            assert f"`{option.name}` {option.default}" in row, (name, option)
