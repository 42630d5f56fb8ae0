"""Group Filtered Policy Optimization (GFPO, arXiv 2508.09726)."""

from dataclasses import dataclass

from gpocli.trainers.config import GroupConfig
from gpocli.trainers.trainer import GroupTrainer


@dataclass
class GFPOConfig(GroupConfig):
    """`GRPOConfig` with `num_remains_in_group` (k), `divisor` and `rollout`; see `GroupConfig`."""


class GFPOTrainer(GroupTrainer):
    """Sample G completions a prompt, keep the k that a filter scores highest, train with GRPO on those only.

    The advantage of a kept completion is `(R - mean) / std` over the kept ones of its group; a rejected completion
    gets no gradient (paper, section 3). With k = G, or without a filter, this is GRPO.
    """

    _tag_names = ["trl", "gfpo"]  # noqa: RUF012 (the parent declares it so)
    config_class = GFPOConfig
