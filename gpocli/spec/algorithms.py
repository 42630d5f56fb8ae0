"""The algorithms that a run spec can name: those of gpo and of the plugins."""

from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, Union

from pydantic import Field, GetCoreSchemaHandler
from pydantic_core import CoreSchema

from gpocli.errors import GpoError, PluginError
from gpocli.extensions import AlgorithmExtension
from gpocli.plugin_manager import PluginHost, load_plugins

DEFAULT_ALGORITHM = "gfpo"
"""Where a spec names none."""


@cache
def algorithms() -> Mapping[str, AlgorithmExtension]:
    """Every algorithm by name, found once for the process.

    A name that two plugins claim is left out, and what is wrong with the plugins is for others to tell.
    """
    return {name: found.extension for name, found in _plugins().algorithms.items()}


def algorithm(name: str) -> AlgorithmExtension:
    """The algorithm of that name, or the default one where there is none."""
    return algorithms().get(name) or _default()


def why_missing(name: str) -> str | None:
    """Why there is no algorithm `name` if that is a plugin's fault: two claim it, or a broken one may give it."""
    try:
        _plugins().find("algorithm", name)
    except PluginError as error:
        return str(error)
    except GpoError:
        return None
    return None


@cache
def _default() -> AlgorithmExtension:
    host = load_plugins(entry_points=False)  # in which no other plugin can claim its name
    return host.algorithms[DEFAULT_ALGORITHM].extension


def _plugins() -> PluginHost:
    try:
        return load_plugins(strict=False)
    except GpoError:  # of the variable that chooses plugins
        return load_plugins(entry_points=False)


class OneOfAlgorithms:
    """Marks the field of a model that holds the section of any algorithm, told apart by its `type`."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        sections = tuple(one.section for one in algorithms().values())
        return handler.generate_schema(Annotated[Union[sections], Field(discriminator="type")])  # noqa: UP007
