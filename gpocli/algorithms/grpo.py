"""Group Relative Policy Optimization (GRPO, arXiv 2402.03300), the baseline: TRL's own, with any of its losses."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from gpocli.extensions import AlgorithmExtension, Citation
from gpocli.settings.algorithm import AlgorithmSection, Clip, ClipHigh, ScaleRewards
from gpocli.settings.setting import Setting

LossType = Literal["bnpo", "cispo", "dapo", "dr_grpo", "grpo", "luspo", "sapo", "vespo"]


class GRPOSpec(AlgorithmSection):
    """Group Relative Policy Optimization, the baseline (arXiv 2402.03300), with TRL's defaults."""

    type: Literal["grpo"] = "grpo"
    """The method."""
    epsilon: Clip = 0.2
    """Lower clip range of the probability ratio; above 0, at most 1."""
    epsilon_high: ClipHigh = None
    """Upper clip range of the probability ratio; above 0, at most 100; null: as `epsilon`."""
    scale_rewards: ScaleRewards = "group"
    """What rewards are divided by: the standard deviation of their `group`, of the `batch`, or `none`."""
    loss_type: Annotated[LossType, Setting("loss_type")] = "dapo"
    """How token losses are averaged, one of TRL's."""

    def conflicts(self, trl: Mapping[str, Any]) -> dict[str, str]:
        if self.loss_type == "luspo" and trl.get("importance_sampling_level") != "sequence":
            return {"loss_type": "luspo weighs whole sequences; write trl.importance_sampling_level: sequence as well"}
        return {}


EXTENSION = AlgorithmExtension(
    name="grpo",
    title="Group Relative Policy Optimization, the baseline",
    summary="train on every completion",
    paper="arXiv 2402.03300",
    section=GRPOSpec,
    citation=Citation(
        "DeepSeekMath: Pushing the Limits of Mathematical Reasoning in Open Language Models",
        "Shao, Zhihong and others",
        2024,
    ),
)
