"""Geometric-Mean Policy Optimization (GMPO, arXiv 2507.20673)."""

from dataclasses import dataclass, field
from typing import ClassVar

from gpocli.algorithms.gmpo import EXTENSION
from gpocli.errors import SpecError
from gpocli.extensions import AlgorithmExtension
from gpocli.trainers.config import GroupConfig
from gpocli.trainers.geometric_mean import GeometricMean
from gpocli.trainers.trainer import GroupTrainer


@dataclass
class GMPOConfig(GroupConfig):
    """`GRPOConfig` with GMPO's clip range: both epsilons are in log space, 0.4 in the paper.

    A token ratio is trusted between `exp(-epsilon)` and `exp(epsilon_high)`; `epsilon_high=None` means `epsilon`.
    """

    algorithm: ClassVar[AlgorithmExtension] = EXTENSION

    epsilon: float = field(
        default=0.4,
        metadata={"help": "How far below 0 a token's log-ratio is trusted where the advantage is negative."},
    )
    epsilon_high: float | None = field(
        default=None,
        metadata={"help": "How far above 0 a token's log-ratio is trusted where the advantage is positive; epsilon."},
    )
    loss_type: str = field(default="grpo", metadata={"help": "GMPO has one loss, a mean over sequences."})
    importance_sampling_level: str = field(default="sequence", metadata={"help": "GMPO weighs whole sequences."})
    use_bias_correction_kl: bool = field(
        default=False,
        metadata={"help": "Whether the KL term is weighted with the sequence's importance weight; not in the paper."},
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("epsilon", "epsilon_high"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise SpecError(f"{name}={value!r} must be above 0: it is a distance in log space, 0.4 in the paper")


class GMPOTrainer(GroupTrainer):
    """Weigh each sequence with the geometric mean of its clipped token ratios; see `GeometricMean` for the loss."""

    _tag_names = ["trl", "gmpo"]  # noqa: RUF012 (the parent declares it so)
    config_class = GMPOConfig
    objective_class = GeometricMean
