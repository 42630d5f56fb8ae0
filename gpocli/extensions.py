"""The records that a plugin returns: what it adds, under which name, with which options."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel, ConfigDict

from gpocli.settings.algorithm import AlgorithmSection, FilteredSection
from gpocli.settings.guards import GuardAction


class NoOptions(BaseModel):
    """The options of a filter, reward or guard that has none."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


@dataclass(frozen=True, slots=True)
class FilterExtension:
    """A filter that a run spec can name.

    `build` gets a validated `options` object and returns the filter: a callable
    `(group_completions, group_rewards, **kwargs) -> list[list[float]]`, higher is kept.
    """

    name: str
    build: Callable[[Any], Callable[..., Any]]
    summary: str
    options: type[BaseModel] = NoOptions


@dataclass(frozen=True, slots=True)
class RewardExtension:
    """A reward that a run spec can name.

    `build` gets a validated `options` object and returns the reward: a callable
    `(prompts, completions, completion_ids, **columns) -> list[float | None]`, sync or async.
    `columns` are the data columns without which it cannot work. `argument` is the option that a spec may write behind
    the name, as in `model:FOLDER`.
    """

    name: str
    build: Callable[[Any], Callable[..., Any]]
    summary: str
    options: type[BaseModel] = NoOptions
    columns: tuple[str, ...] = ()
    argument: str | None = None


@dataclass(frozen=True, slots=True)
class GuardExtension:
    """A guard that a run spec can name.

    `build` gets a validated `options` object and returns the guard: an object with `check(figures) -> Alarm | None`
    (see `gpocli.contracts.guard`). `action` is what its alarm leads to where the spec does not say.
    """

    name: str
    build: Callable[[Any], Any]
    summary: str
    options: type[BaseModel] = NoOptions
    action: GuardAction = "stop"


@dataclass(frozen=True, slots=True)
class Citation:
    """How to cite the paper of an algorithm; authors as BibTeX has them, joined by `and`."""

    title: str
    authors: str
    year: int


@dataclass(frozen=True, slots=True)
class AlgorithmExtension:
    """An algorithm that a run spec can name, and `gpo train` has a command for.

    `section` is its part of the spec, with `type: Literal[name] = name`; one that takes filters is a `FilteredSection`.
    `options` are the options of TRL's GRPOConfig that make it what it is: nobody can set them. `refused` are those
    without effect under it, each with the reason. `trainer` and `config` are named as "module:Class", for importing
    them imports torch.
    """

    name: str
    title: str
    summary: str
    paper: str
    section: type[AlgorithmSection]
    options: Mapping[str, Any] = field(default_factory=dict)
    refused: Mapping[str, str] = field(default_factory=dict)
    updates_per_generation: int = 1
    trainer: str = "gpocli.trainers.trainer:GroupTrainer"
    config: str = "gpocli.trainers.config:GroupConfig"
    citation: Citation | None = None
    """Of `paper`, for the cards of models that it trained."""

    @property
    def takes_filters(self) -> bool:
        """Whether its groups can be filtered."""
        return issubclass(self.section, FilteredSection)


Extension = FilterExtension | RewardExtension | GuardExtension | AlgorithmExtension
