"""The `run` section: how long a run is, where it goes, what it saves, measures and reports."""

from typing import Any, Literal

from pydantic import Field, model_validator

from gpocli.settings.section import Section, rule

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


class RunSettings(Section):
    """The course of a run."""

    name: str | None = Field(default=None, min_length=1, max_length=200)
    """Name of the run, and of its folder under `runs/`; null: made from the method and the time."""
    dir: str | None = Field(default=None, min_length=1)
    """The run directory; null: `runs/` and the name."""
    steps: int | None = Field(default=100, ge=1)
    """Optimizer steps to train for; at least 1; null where `epochs` is given."""
    epochs: float | None = Field(default=None, gt=0, le=1_000_000)
    """Passes over the data to train for; above 0; null: `steps` says how long."""
    seed: int = Field(default=0, ge=0, le=2**32 - 1)
    """Seed of data order and sampling; 0 to 4294967295."""
    save_every: int | None = Field(default=None, ge=1)
    """Steps between checkpoints; at least 1; null: only at the end."""
    keep_checkpoints: int = Field(default=2, ge=1)
    """Checkpoints to keep, the newest; at least 1."""
    eval_every: int | None = Field(default=None, ge=1)
    """Steps between evaluations; at least 1; null: none while training."""
    log_every: int = Field(default=1, ge=1)
    """Steps between log lines; at least 1."""
    trackers: list[Tracker] = Field(default_factory=list)
    """Experiment trackers that get the metrics, one or more of transformers'."""
    telemetry: bool = False
    """Let TRL and the hub libraries send their usage ping."""

    @model_validator(mode="before")
    @classmethod
    def epochs_alone_replace_steps(cls, data: Any) -> Any:
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
