"""Grids: which points they have, what these are called, and what is none."""

import pytest

from gpocli.errors import SpecError
from gpocli.sweep.grid import points


def test_every_combination_the_last_key_fastest():
    found = points(["optim.learning_rate=1e-6,3e-6", "algorithm.keep=2"], 2, first_seed=7)
    assert [one.name for one in found] == [
        "learning_rate-1e-6_keep-2_seed-7",
        "learning_rate-1e-6_keep-2_seed-8",
        "learning_rate-3e-6_keep-2_seed-7",
        "learning_rate-3e-6_keep-2_seed-8",
    ]
    assert found[1].values == {"optim.learning_rate": "1e-6", "algorithm.keep": "2", "run.seed": "8"}


def test_commas_in_brackets_and_quotes_part_nothing():
    found = points(["algorithm.filters=[correct, length],[length]", "data.system='a, b',c"], None)
    assert [one.values["algorithm.filters"] for one in found] == ["[correct, length]"] * 2 + ["[length]"] * 2
    assert [one.values["data.system"] for one in found[:2]] == ["'a, b'", "c"]
    assert found[0].name == "filters-correct-length_system-a-b"


def test_keys_that_end_alike_are_written_out():
    assert points(["rewards.0.weight=1", "rewards.1.weight=2"], None)[0].name == "rewards.0.weight-1_rewards.1.weight-2"


@pytest.mark.parametrize(
    ("grid", "seeds", "line"),
    [
        ([], None, "there is nothing to sweep over"),
        (["a.b"], None, "--grid 'a.b' is not KEY=VALUE,VALUE"),
        (["a.b=1,,2"], None, "is not KEY=VALUE,VALUE"),
        (["a.b=1,1"], None, "has 1 twice; leave one out"),
        (["a.b=1", "a.b=2"], None, "a key is in two grids"),
        (["run.seed=1,2"], 2, "--seeds and --grid run.seed both say which seeds"),
        (["run.dir=a,b"], None, "each run of a sweep has a folder of its own"),
        (["a.b=x/y,x y"], None, "two points of the grid would both be called 'b-x-y'"),
    ],
)
def test_what_is_no_grid(grid, seeds, line):
    with pytest.raises(SpecError, match=line.replace("(", r"\(")):
        points(grid, seeds)
