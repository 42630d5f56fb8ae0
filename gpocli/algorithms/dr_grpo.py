"""GRPO done right (Dr. GRPO, arXiv 2503.20783): no division by the deviation of rewards or by lengths.

Both divisions are biased, the first towards very easy and very hard prompts, the second towards long wrong answers
(paper, section 3.1). The sum over tokens is divided by a constant, the limit `sampling.max_tokens`.
"""

from typing import Literal

from gpocli.algorithms.other_losses import UNREAD
from gpocli.extensions import AlgorithmExtension, Citation
from gpocli.settings.algorithm import Clip, ClipHigh, FilteredSection


class DrGRPOSpec(FilteredSection):
    """GRPO done right (arXiv 2503.20783), with the clip range of GRPO."""

    type: Literal["dr_grpo"] = "dr_grpo"
    """The method."""
    epsilon: Clip = 0.2
    """Lower clip range of the probability ratio; above 0, at most 1."""
    epsilon_high: ClipHigh = None
    """Upper clip range of the probability ratio; above 0, at most 100; null: as `epsilon`."""


EXTENSION = AlgorithmExtension(
    name="dr_grpo",
    title="Dr. GRPO",
    summary="GRPO that divides neither by the deviation of rewards nor by a length",
    paper="arXiv 2503.20783",
    section=DrGRPOSpec,
    options={"loss_type": "dr_grpo", "scale_rewards": "none"},
    refused=UNREAD,
    citation=Citation("Understanding R1-Zero-Like Training: A Critical Perspective", "Liu, Zichen and others", 2025),
)
