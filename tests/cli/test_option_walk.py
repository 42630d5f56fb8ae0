"""Every option of TRL that works with gpo, in real runs: a good value trains, a bad one ends in a line."""

import pytest

from tests.checks.option_walk import DEEP, WALK, overrides

pytestmark = pytest.mark.slow

TRAINED = [option for option, (good, _) in WALK.items() if "sampling.vllm." not in good]
"""A server is waited for, for minutes: tests of their own are about those."""
NOT_HERE = 5
"""The exit code of a run that lacks a package, a device or a hub."""


def trained(folder, option, value):
    """The outcome of a run with a value of `option`."""
    settings = overrides(option, value)
    algorithm = "grpo" if "algorithm.type=grpo" in settings else "gfpo"
    places = [] if any(one.startswith(("run.dir", "run.name")) for one in settings) else ["--out", "out"]
    given = [part for one in settings if not one.startswith("algorithm.type") for part in ("--set", one)]
    return folder.gpo("train", algorithm, *places, *given)


def is_told_in_lines(done):
    """Whether nothing is a traceback, or the words of a library."""
    return "Traceback" not in done.stderr + done.stdout and "UserWarning" not in done.stderr


@pytest.mark.parametrize("option", TRAINED)
def test_a_good_value_trains(folder, option):
    done = trained(folder, option, WALK[option][0])
    assert is_told_in_lines(done)
    assert done.code == 0 or (done.code == NOT_HERE and ": needs " in done.stderr), done.stderr


@pytest.mark.parametrize("option", ["lr_scheduler_kwargs", *sorted(DEEP)])
def test_a_bad_value_ends_in_lines_with_the_exit_code_of_a_spec(folder, option):
    """The first is refused by the check that all of them but the others are refused by (tests/checks)."""
    done = trained(folder, option, WALK[option][1])
    assert is_told_in_lines(done)
    assert (done.code, done.stderr.count("\n")) == (2, 1), done.stderr
    assert not (folder.path / "out").exists()
