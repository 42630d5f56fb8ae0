"""The `run` section: how long a run is, where it goes, what it saves, measures and reports."""

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from gpocli.settings.section import Section, rule
from gpocli.settings.setting import Flag, Setting

Tracker = Literal[
    "azure_ml",
    "clearml",
    "codecarbon",
    "comet_ml",
    "dagshub",
    "dvclive",
    "flyte",
    "mlflow",
    "neptune",
    "swanlab",
    "tensorboard",
    "trackio",
    "wandb",
]

NEVER = 10**9
"""A number of steps that no run comes to; TRL saves after the last step all the same."""


class RunSettings(Section):
    """The course of a run."""

    name: Annotated[str | None, Field(min_length=1, max_length=200), Setting(owns=("run_name",))] = None
    """Name of the run, and of its folder under `runs/`; null: made from the method and the time."""
    dir: Annotated[
        str | None,
        Field(min_length=1),
        Setting(
            owns=("output_dir",),
            aliases=("out", "output"),
            flag=Flag("--out", "Run directory", null="runs/<name>", metavar="PATH", read=lambda path: str(Path(path))),
        ),
    ] = None
    """The run directory; null: `runs/` and the name."""
    steps: Annotated[
        int | None, Field(ge=1), Setting("max_steps", null=-1, flag=Flag("--steps", "Optimizer steps"))
    ] = 100
    """Optimizer steps to train for; at least 1; null where `epochs` is given."""
    epochs: Annotated[
        float | None, Field(gt=0, le=1_000_000), Setting("num_train_epochs", null=1.0, aliases=("num_epochs",))
    ] = None
    """Passes over the data to train for; above 0; null: `steps` says how long."""
    seed: Annotated[
        int, Field(ge=0, le=2**32 - 1), Setting("seed", flag=Flag("--seed", "Of data order and sampling"))
    ] = 0
    """Seed of data order and sampling; 0 to 4294967295."""
    save_every: Annotated[
        int | None, Field(ge=1), Setting("save_steps", null=NEVER, derived={"save_strategy": lambda _: "steps"})
    ] = None
    """Steps between checkpoints; at least 1; null: only at the end."""
    keep_checkpoints: Annotated[int, Field(ge=1), Setting("save_total_limit")] = 2
    """Checkpoints to keep, the newest; at least 1."""
    eval_every: Annotated[
        int | None,
        Field(ge=1),
        Setting("eval_steps", unless=None, derived={"eval_strategy": lambda steps: "no" if steps is None else "steps"}),
    ] = None
    """Steps between evaluations; at least 1; null: none while training."""
    log_every: Annotated[int, Field(ge=1), Setting("logging_steps", owns=("logging_strategy",))] = 1
    """Steps between log lines; at least 1. The last step of a run has one whatever this is."""
    records: Literal["all", "kept"] = "all"
    """Which candidates are recorded: `all`, or the `kept` alone."""
    record_every: Annotated[int, Field(ge=1)] = 1
    """Steps from a recorded generation batch to the next; at least 1."""
    max_minutes: Annotated[float | None, Field(gt=0, le=1_000_000), Setting(aliases=("max_time", "time_limit"))] = None
    """Minutes after which the run stops as SIGTERM stops it, with a checkpoint; above 0; null: no limit."""
    requeue: Annotated[bool, Setting(flag=Flag("--requeue", "Exit with 75 where it is stopped", null="off"))] = False
    """Whether a run that a signal (not Ctrl-C) or `max_minutes` stopped exits with 75 in place of 143."""
    trackers: Annotated[
        list[Tracker], Setting(derived={"report_to": lambda names: list(names) or "none"}, aliases=("wandb",))
    ] = Field(default_factory=list)
    """Experiment trackers that get the metrics, one or more of transformers'."""
    telemetry: bool = False
    """Let TRL and the hub libraries send their usage ping."""

    @model_validator(mode="before")
    @classmethod
    def epochs_alone_replace_steps(cls, data: Any) -> Any:
        # before validation: afterwards the default looks like steps that were written
        if isinstance(data, dict) and data.get("epochs") is not None and "steps" not in data:
            return {**data, "steps": None}
        return data

    @rule("steps", "epochs")
    def length_is_given_once(self) -> str | None:
        if self.steps is None and self.epochs is None:
            return "the run has no length; write a number of steps, or epochs"
        if self.steps is not None and self.epochs is not None:
            return f"steps {self.steps} and epochs {self.epochs:g} both say how long; remove one"
        return None

    @rule("name")
    def name_is_one_folder(self) -> str | None:
        if self.name is not None and (self.name in {".", ".."} or "/" in self.name or "\\" in self.name):
            return f"'{self.name}' is not the name of one folder; write a path as dir instead"
        return None
