"""The reward that a model with one label gives: TRL's own path in a run, and the same scores without one."""

from collections.abc import Callable, Sequence
from functools import cached_property
from importlib import import_module
from typing import Any, Literal

from pydantic import model_validator

from gpocli.builtin.options import Options
from gpocli.contracts.reward_model import RewardModel
from gpocli.extensions import RewardExtension

_SCORER = "gpocli.policy.reward_model:scorer"
"""Imported when it is needed: it loads torch."""


class ModelOptions(Options):
    """Options of `model`."""

    path: str | None = None
    """Folder or hub id of a saved model for sequence classification with one label; `model:PATH` sets it."""
    revision: str | None = None
    """Branch, tag or commit of a hub id."""
    dtype: Literal["auto", "float32", "bfloat16", "float16"] = "auto"
    """The type of its weights; `auto`: as they were saved."""

    @model_validator(mode="after")
    def model_needs_a_path(self) -> "ModelOptions":
        if not self.path:
            raise ValueError("model needs path; write model:FOLDER or model:HUB_ID")
        return self


class Model:
    """The score of a reward model for the prompt with the completion.

    A run hands the model to TRL, which scores whole batches on the device of the run: the deadline and the `on_error`
    of other rewards do not hold there. Called as a function, it loads the model itself, on the CPU.
    """

    __name__ = "model"
    sees_form = True
    """Messages are scored by way of the model's chat template, so they differ from plain text."""

    def __init__(self, options: ModelOptions) -> None:
        self.reward_model = RewardModel(options.path or "", options.revision, options.dtype)

    def __call__(self, prompts: Sequence[Any], completions: Sequence[Any], **_: Any) -> list[float]:
        return self._score(prompts, completions)

    @cached_property
    def _score(self) -> Callable[[Sequence[Any], Sequence[Any]], list[float]]:
        module, _, name = _SCORER.partition(":")
        scorer: Callable[..., Callable[..., list[float]]] = getattr(import_module(module), name)
        return scorer(self.reward_model.path, self.reward_model.revision, self.reward_model.dtype)


EXTENSION = RewardExtension(
    name="model",
    build=Model,
    summary="what a reward model gives, written model:FOLDER or model:HUB_ID",
    options=ModelOptions,
    argument="path",
)
