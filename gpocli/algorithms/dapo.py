"""Decoupled Clip and Dynamic Sampling Policy Optimization (DAPO, arXiv 2503.14476).

All tokens of a batch weigh alike (paper, section 3.3), and the clip leaves more room upwards (3.1). Dynamic sampling
(3.2) is `flat_groups: refill`, and overlong reward shaping (3.4) the reward `overlong`; the preset `dapo` sets up both.
"""

from typing import Literal

from gpocli.algorithms.other_losses import UNREAD
from gpocli.extensions import AlgorithmExtension, Citation
from gpocli.settings.algorithm import Clip, ClipHigh, FilteredSection, GroupSize, ScaleRewards


class DAPOSpec(FilteredSection):
    """Decoupled clip, token-level loss; group size, clip range and updates are of arXiv 2503.14476, section 4.1."""

    type: Literal["dapo"] = "dapo"
    """The method."""
    group_size: GroupSize = 16
    epsilon: Clip = 0.2
    """Lower clip range of the probability ratio; above 0, at most 1."""
    epsilon_high: ClipHigh = 0.28
    """Upper clip range of the probability ratio; above 0, at most 100; null: as `epsilon`."""
    scale_rewards: ScaleRewards = "group"
    """What rewards are divided by: the standard deviation of their `group`, of the `batch`, or `none`."""


EXTENSION = AlgorithmExtension(
    name="dapo",
    title="DAPO",
    summary="average over all tokens of a batch, and clip less upwards than downwards",
    paper="arXiv 2503.14476",
    section=DAPOSpec,
    options={"loss_type": "dapo"},
    refused=UNREAD,
    updates_per_generation=16,
    citation=Citation("DAPO: An Open-Source LLM Reinforcement Learning System at Scale", "Yu, Qiying and others", 2025),
)
