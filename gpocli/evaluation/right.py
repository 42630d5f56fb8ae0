"""Which answers are right: what a reward pays more than a half."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from gpocli.evaluation.figures import Answers

RIGHT = 0.5
"""A reward above it means a right answer."""


def judged(
    rewards_PN: Mapping[str, NDArray[np.float64]],
    right: str,
    length_PN: NDArray[np.int64],
    cut_PN: NDArray[np.bool_],
) -> tuple[Answers, NDArray[np.intp]]:
    """The answers to the prompts that can be graded, and the places of these: the reward `right` applies to an answer.

    An answer to which it does not apply is not right. Rewards are NaN where they do not apply, lengths in tokens.
    """
    answers = Answers(np.nan_to_num(rewards_PN[right], nan=0.0) > RIGHT, length_PN, cut_PN, rewards_PN)
    known = np.flatnonzero(~np.isnan(rewards_PN[right]).all(1))
    return answers.of(known), known
