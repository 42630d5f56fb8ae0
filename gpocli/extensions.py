"""The records that a plugin returns: what it adds, under which name, with which options."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict


class NoOptions(BaseModel):
    """The options of a filter or reward that has none."""

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
    `columns` are the data columns without which it cannot work.
    """

    name: str
    build: Callable[[Any], Callable[..., Any]]
    summary: str
    options: type[BaseModel] = NoOptions
    columns: tuple[str, ...] = ()
