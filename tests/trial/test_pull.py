"""What a filter would teach about length, from recorded completions, by hand."""

import pytest

from gpocli.trial.pull import pull_check
from gpocli.trial.samples import Candidate, Group, Samples


def samples(*groups):
    """Groups of (length, reward)."""

    def candidate(length, reward):
        return Candidate("kept", "here", "x", [1] * length, True, {"accuracy": reward}, reward)

    made = [Group({"prompt": "p"}, [candidate(*one) for one in group]) for group in groups]
    return Samples("a run", made, are_recorded=True)


@pytest.mark.parametrize(
    ("groups", "kept", "finding"),
    [
        (
            [[(10, 1.0), (30, 0.0), (90, 1.0)]],
            [True, True, False],
            "shorter, correlation -1.00 of advantage and length (right 10, wrong 30 tokens); in 1 group",
        ),
        (
            [[(10, 0.0), (30, 1.0)], [(10, None), (5, 1.0)]],
            [True] * 4,
            "longer, correlation 1.00 of advantage and length (right 30, wrong 10 tokens); in 1 of 2 groups, with all "
            "rewards",
        ),
        (
            [[(20, 0.0), (20, 1.0)]],
            [True, True],
            "none: no group has kept ones that differ in reward and length; in 1 group",
        ),
        ([[(20, None)]], [True], "not known: the run has no rewards of the completions that would be kept"),
        ([[(20, 1.0)]], [False], "not known: the run has no rewards of the completions that would be kept"),
    ],
)
def test_the_pull_of_the_kept_ones(groups, kept, finding):
    assert pull_check(samples(*groups), kept).finding == finding
