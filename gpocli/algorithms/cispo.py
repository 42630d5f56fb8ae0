"""Clipped IS-weight Policy Optimization (CISPO, arXiv 2506.13585): the ratio is a weight that is capped, not a clip.

No token loses its gradient: the loss of a token is `-min(ratio, cap) * A * log p`, without a gradient through the
weight (paper, equations 4 and 5, without a lower bound as there in the experiments).
"""

from typing import Annotated, Literal

from pydantic import Field

from gpocli.algorithms.other_losses import UNREAD
from gpocli.extensions import AlgorithmExtension, Citation
from gpocli.settings.algorithm import FilteredSection, ScaleRewards, ratios_are_one
from gpocli.settings.setting import Flag, Setting


class CISPOSpec(FilteredSection):
    """Clipped IS-weight Policy Optimization; updates as in arXiv 2506.13585, the cap as in 2510.13786 (ScaleRL)."""

    type: Literal["cispo"] = "cispo"
    """The method."""
    epsilon_high: Annotated[
        float, Field(ge=1, le=100), Setting("epsilon_high", flag=Flag("--epsilon-high", "Cap of the ratio"))
    ] = 5.0
    """The cap of the probability ratio itself, 1 + epsilon of the paper; 1 to 100."""
    scale_rewards: ScaleRewards = "group"
    """What rewards are divided by: the standard deviation of their `group`, of the `batch`, or `none`."""

    def notices(self, updates: int) -> list[str]:
        return ratios_are_one("cispo", "dapo", updates, paper=16) + super().notices(updates)


EXTENSION = AlgorithmExtension(
    name="cispo",
    title="Clipped IS-weight Policy Optimization",
    summary="cap the ratio as a weight, so that no token loses its gradient",
    paper="arXiv 2506.13585",
    section=CISPOSpec,
    options={"loss_type": "cispo"},
    refused=UNREAD
    | {
        "delta": "CISPO caps the weight itself: use epsilon_high",
        "epsilon": "CISPO has no lower bound: use epsilon_high",
    },
    updates_per_generation=16,
    citation=Citation("MiniMax-M1: Scaling Test-Time Compute Efficiently with Lightning Attention", "{MiniMax}", 2025),
)
