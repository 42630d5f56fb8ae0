"""The page of the algorithms says of each what its entry says."""

import re
from pathlib import Path

import pytest

from gpocli.spec.algorithms import algorithms

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "algorithms.md").read_text(encoding="utf-8")
SHOWN = ("group_size", "keep", "filters", "epsilon", "epsilon_high", "beta", "entropy_coef", "loss_type", "divisor")


def row(one):
    """The line of an algorithm: what it is, its paper, the defaults that make it, and what nobody can set."""
    values = one.section(type=one.name).model_dump()
    values["filters"] = [filter["name"] for filter in values.get("filters", [])]
    shown = [f"`{name}` {text(values[name])}" for name in SHOWN if values.get(name)]
    updates = "1 update" if one.updates_per_generation == 1 else f"{one.updates_per_generation} updates"
    fixed = [f"`{name}` {value}" for name, value in one.options.items()]
    what = f"{one.title}: {one.summary}"
    return f"| `{one.name}` | {what} | {one.paper} | {', '.join([*shown, updates])} | {', '.join(fixed) or '-'} |"


def text(value):
    return f"{value:g}" if isinstance(value, float) else str(value).replace("'", "")


@pytest.mark.parametrize("name", algorithms())
def test_the_table_has_a_line_for_each(name):
    assert row(algorithms()[name]) in PAGE.splitlines()


def test_both_tables_have_each_and_no_other():
    assert re.findall(r"^\| `(\w+)`", PAGE, re.MULTILINE) == [*algorithms(), *algorithms()]


@pytest.mark.parametrize("name", algorithms())
def test_the_readme_names_each(name):
    assert re.search(rf"\b{name}\b", (ROOT / "README.md").read_text(encoding="utf-8"))
