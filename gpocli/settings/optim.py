"""The `optim` section: the optimizer and the learning rate."""

from typing import Annotated, Literal

from pydantic import Field

from gpocli.settings.section import Section, rule
from gpocli.settings.setting import Flag, Setting

Schedule = Literal[
    "constant",
    "constant_with_warmup",
    "cosine",
    "cosine_warmup_with_min_lr",
    "cosine_with_min_lr",
    "cosine_with_restarts",
    "inverse_sqrt",
    "linear",
    "polynomial",
    "warmup_stable_decay",
]
Optimizer = Literal[
    "adafactor",
    "adamw_8bit",
    "adamw_torch",
    "adamw_torch_fused",
    "ademamix",
    "lion_32bit",
    "lion_8bit",
    "paged_adamw_32bit",
    "paged_adamw_8bit",
    "rmsprop",
    "sgd",
    "stable_adamw",
]


class OptimSpec(Section):
    """How the weights are updated."""

    learning_rate: Annotated[
        float, Field(ge=0, le=1), Setting("learning_rate", aliases=("lr",), flag=Flag("--lr", "Learning rate"))
    ] = 1e-6
    """Learning rate after the warm-up; 0 to 1 (GMPO's paper 1e-6, GFPO's 1e-7)."""
    schedule: Annotated[Schedule, Setting("lr_scheduler_type", aliases=("lr_scheduler",))] = "constant"
    """Course of the learning rate, one of transformers' that need no metric."""
    warmup_steps: Annotated[int, Field(ge=0), Setting("warmup_steps", aliases=("warmup",))] = 0
    """Steps over which the learning rate rises from 0; at least 0."""
    weight_decay: Annotated[float, Field(ge=0, le=1), Setting("weight_decay")] = 0.0
    """Decoupled weight decay a step; 0 to 1."""
    max_grad_norm: Annotated[float, Field(ge=0, le=1e6), Setting("max_grad_norm")] = 1.0
    """Norm to which a gradient is clipped; 0 to 1e6; 0: not clipped."""
    optimizer: Annotated[Optimizer, Setting("optim")] = "adamw_torch"
    """The optimizer, one of transformers'."""
    gradient_checkpointing: Annotated[bool, Setting("gradient_checkpointing", owns=("activation_checkpointing",))] = (
        False
    )
    """Compute activations again in the backward pass: less memory, more time."""

    @rule("warmup_steps", "schedule")
    def schedule_has_a_warmup(self) -> str | None:
        if self.warmup_steps and self.schedule == "constant":
            return "the schedule 'constant' has no warm-up; write schedule: constant_with_warmup"
        return None
