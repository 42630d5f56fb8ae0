"""Geometric-Mean Policy Optimization (GMPO, arXiv 2507.20673).

With r the log-ratio of a token under the new and the old policy, A the advantage of its sequence and c the
one-sidedly clipped r, the loss of a sequence is `-A * exp(mean of c over its valid tokens)` (paper, equations
4 and 5), and the loss of a batch is the mean over the sequences that have a valid token.
"""

from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

from pydantic import Field

from gpocli.algorithms.other_losses import UNREAD
from gpocli.extensions import AlgorithmExtension, Citation
from gpocli.settings.algorithm import FilteredSection, ScaleRewards, ratios_are_one
from gpocli.settings.setting import Flag, Setting

if TYPE_CHECKING:
    from torch import Tensor


class GMPOSpec(FilteredSection):
    """Geometric-Mean Policy Optimization; defaults are those of arXiv 2507.20673. Filters are optional."""

    type: Literal["gmpo"] = "gmpo"
    """The method."""
    epsilon: Annotated[
        float, Field(gt=0, le=10), Setting("epsilon", flag=Flag("--epsilon", "Clip range in log space"))
    ] = 0.4
    """Lower clip range of a token's log-ratio (log space: 0.4 is a factor of 0.67); above 0, at most 10."""
    epsilon_high: Annotated[
        float | None,
        Field(gt=0, le=10),
        Setting("epsilon_high", flag=Flag("--epsilon-high", "Upper clip range", null="as --epsilon")),
    ] = None
    """Upper clip range of a token's log-ratio (log space); above 0, at most 10; null: as `epsilon`."""
    scale_rewards: ScaleRewards = "group"
    """What rewards are divided by: the standard deviation of their `group`, of the `batch`, or `none`."""

    def notices(self, updates: int) -> list[str]:
        return ratios_are_one("gmpo", "grpo", updates, paper=8) + super().notices(updates)


EXTENSION = AlgorithmExtension(
    name="gmpo",
    title="Geometric-Mean Policy Optimization",
    summary="weigh a sequence by the geometric mean of its token ratios",
    paper="arXiv 2507.20673",
    section=GMPOSpec,
    options={"importance_sampling_level": "sequence", "loss_type": "grpo"},
    refused={
        "delta": "GMPO clips one-sidedly in log space: use epsilon and epsilon_high",
        "importance_sampling_level": "GMPO weighs whole sequences",
        "loss_type": "GMPO has one loss, a mean over sequences: leave it out, or use GFPO for this one",
        "top_entropy_quantile": "GMPO's weight is the geometric mean over all tokens of a sequence",
        **dict.fromkeys(UNREAD, "it belongs to another loss; GMPO has one loss, so leave it out"),
    },
    updates_per_generation=8,
    trainer="gpocli.trainers.gmpo:GMPOTrainer",
    config="gpocli.trainers.gmpo:GMPOConfig",
    citation=Citation("Geometric-Mean Policy Optimization", "Zhao, Yuzhong and others", 2025),
)


class ClippedRatios(NamedTuple):
    """Log-ratios after GMPO's clip, and where the clip acted. Each has shape (B, T)."""

    log_ratio_BT: "Tensor"
    is_low_BT: "Tensor"
    is_high_BT: "Tensor"


def clip_log_ratios(
    log_ratio_BT: "Tensor", advantage_B: "Tensor", epsilon_low: float, epsilon_high: float
) -> ClippedRatios:
    """Clip on the side where a further step would no longer be trusted, in log space.

    A >= 0 is capped from above at `epsilon_high`; A < 0 is floored from below at `-epsilon_low`. An advantage of
    zero takes the capped side, so that an exploding ratio times zero stays zero.
    """
    positive_B1 = (advantage_B >= 0).unsqueeze(1)
    capped = log_ratio_BT.clamp(max=epsilon_high)
    floored = log_ratio_BT.clamp(min=-epsilon_low)
    return ClippedRatios(
        capped.where(positive_B1, floored),
        ~positive_B1 & (log_ratio_BT < -epsilon_low),
        positive_B1 & (log_ratio_BT > epsilon_high),
    )
