"""The `batch` section: how many prompts feed a step, and how they are cut to fit the memory."""

from typing import Annotated

from pydantic import Field

from gpocli.settings.section import Section
from gpocli.settings.setting import Flag, Setting


class BatchSpec(Section):
    """Sizes in prompts; `gpocli.spec.batch.solve` derives TRL's arithmetic from them, which is passed on."""

    prompts_per_step: Annotated[
        int,
        Field(ge=1, le=1_000_000),
        Setting(
            aliases=("batch_size", "prompts", "train_batch_size"),
            flag=Flag("--prompts-per-step", "Prompts an optimizer step"),
        ),
    ] = 8
    """Prompts whose kept completions make up one optimizer step, over all processes; 1 to 1000000."""
    micro_batch: Annotated[
        int | None,
        Field(ge=1, le=1_000_000),
        Setting(owns=("per_device_train_batch_size", "gradient_accumulation_steps"), aliases=("micro_batch_size",)),
    ] = None
    """Kept completions a process trains on at a time; at least 1; null: the most up to 16 that divide."""
    updates_per_generation: Annotated[
        int | None, Field(ge=1, le=10_000), Setting(owns=("steps_per_generation", "generation_batch_size"))
    ] = None
    """Optimizer steps that one generation batch feeds; 1 to 10000; null: as the algorithm's paper."""
    iterations: Annotated[int, Field(ge=1, le=1000), Setting("num_iterations", aliases=("ppo_epochs",))] = 1
    """Times that each generation batch is trained on; 1 to 1000."""
