"""Group Filtered Policy Optimization (GFPO, arXiv 2508.09726): GRPO on the k of G candidates that a filter keeps."""

from typing import Annotated, Literal

from pydantic import Field

from gpocli.algorithms.other_losses import UNREAD
from gpocli.extensions import AlgorithmExtension, Citation
from gpocli.settings.algorithm import Clip, ClipHigh, FilteredSection, FilterSpec, GroupSize, Keep, ScaleRewards, Weight
from gpocli.settings.setting import Setting


class GFPOSpec(FilteredSection):
    """Group Filtered Policy Optimization; defaults are those of arXiv 2508.09726 (8/24, shortest kept)."""

    type: Literal["gfpo"] = "gfpo"
    """The method."""
    group_size: GroupSize = 24
    keep: Keep = 8
    """k, candidates kept and trained on; 2 to `group_size`."""
    filters: list[FilterSpec] = Field(default_factory=lambda: [FilterSpec(name="length")], min_length=1)
    """Filters that choose the kept: the first decides, each next one breaks its ties; at least one."""
    divisor: Annotated[Literal["kept", "group"], Setting("divisor")] = "kept"
    """Whose tokens divide the loss: the `kept` ones, or all G (`group`, the paper's; no race then)."""
    epsilon: Clip = 0.2
    """Lower clip range of the probability ratio; above 0, at most 1."""
    epsilon_high: ClipHigh = None
    """Upper clip range of the probability ratio; above 0, at most 100; null: as `epsilon`."""
    beta: Weight = 0.001
    entropy_coef: Weight = 0.001
    scale_rewards: ScaleRewards = "group"
    """What rewards are divided by: the standard deviation of their `group`, of the `batch`, or `none`."""

    def _of_nothing_to_choose(self) -> str:
        return "gfpo cannot differ from grpo here"


EXTENSION = AlgorithmExtension(
    name="gfpo",
    title="Group Filtered Policy Optimization",
    summary="sample G, keep the k that a filter scores highest, train on those",
    paper="arXiv 2508.09726",
    section=GFPOSpec,
    options={"loss_type": "dapo"},
    refused=UNREAD,
    trainer="gpocli.trainers.gfpo:GFPOTrainer",
    config="gpocli.trainers.gfpo:GFPOConfig",
    citation=Citation(
        "Sample More to Think Less: Group Filtered Policy Optimization for Concise Reasoning",
        "Shrivastava, Vaishnavi and others",
        2025,
    ),
)
