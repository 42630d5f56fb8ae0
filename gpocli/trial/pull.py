"""Which way a filter pulls the length of completions, told from those that a run has recorded, without training."""

import math
from collections.abc import Iterator, Sequence

from gpocli.contracts.length_pull import Pull, group_advantages, length_pull
from gpocli.errors import counted
from gpocli.trial.report import Check, number
from gpocli.trial.samples import Candidate, Samples

NAME = "pull on length"


def pull_check(samples: Samples, kept: Sequence[bool]) -> Check:
    """What training on the kept completions would teach about length; `kept` has a flag for each candidate.

    Of groups in which the rewards of all kept ones are recorded: a run asks for none that its filter did not need.
    """
    groups = list(_kept_of_groups(samples, kept))
    known = [group for group in groups if all(one.reward is not None for one in group)]
    if not known:
        return Check(NAME, "not known: the run has no rewards of the completions that would be kept")
    lengths = [len(one.tokens) for group in known for one in group]
    advantages = [one for group in known for one in group_advantages([candidate.reward for candidate in group])]
    return Check(NAME, f"{_said(length_pull(lengths, advantages))}; in {_of(len(known), len(groups))}")


def _kept_of_groups(samples: Samples, kept: Sequence[bool]) -> Iterator[list[Candidate]]:
    flags = iter(kept)
    for group in samples.groups:
        chosen = [one for one in group.candidates if next(flags)]
        if chosen:
            yield chosen


def _said(pull: Pull) -> str:
    if math.isnan(pull.correlation):
        return "none: no group has kept ones that differ in reward and length"
    way = "shorter" if pull.correlation < 0 else "longer" if pull.correlation > 0 else "no way"
    mean = f"right {number(round(pull.right_length, 1))}, wrong {number(round(pull.wrong_length, 1))} tokens"
    return f"{way}, correlation {pull.correlation:.2f} of advantage and length ({mean})"


def _of(known: int, groups: int) -> str:
    return counted(groups, "group") if known == groups else f"{known} of {counted(groups, 'group')}, with all rewards"
