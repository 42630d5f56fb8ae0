"""Group Sequence Policy Optimization (GSPO, arXiv 2507.18071): one ratio a sequence.

The ratio is the geometric mean of the token ratios (paper, equation 7); the sequence is clipped as a whole.
"""

from typing import Literal

from gpocli.algorithms.other_losses import UNREAD
from gpocli.extensions import AlgorithmExtension, Citation
from gpocli.settings.algorithm import Clip, ClipHigh, FilteredSection, ScaleRewards, ratios_are_one


class GSPOSpec(FilteredSection):
    """Group Sequence Policy Optimization; clip range and updates are those of arXiv 2507.18071, section 5.1."""

    type: Literal["gspo"] = "gspo"
    """The method."""
    epsilon: Clip = 3e-4
    """Lower clip range of the sequence's ratio, which is close to 1; above 0, at most 1."""
    epsilon_high: ClipHigh = 4e-4
    """Upper clip range of the sequence's ratio; above 0, at most 100; null: as `epsilon`."""
    scale_rewards: ScaleRewards = "group"
    """What rewards are divided by: the standard deviation of their `group`, of the `batch`, or `none`."""

    def notices(self, updates: int) -> list[str]:
        return ratios_are_one("gspo", "grpo", updates, paper=4) + super().notices(updates)


EXTENSION = AlgorithmExtension(
    name="gspo",
    title="Group Sequence Policy Optimization",
    summary="weigh and clip a whole sequence by its likelihood ratio",
    paper="arXiv 2507.18071",
    section=GSPOSpec,
    options={"importance_sampling_level": "sequence", "loss_type": "grpo"},
    refused=UNREAD,
    updates_per_generation=4,
    citation=Citation("Group Sequence Policy Optimization", "Zheng, Chujie and others", 2025),
)
