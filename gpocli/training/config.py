"""The trainer config of a run. Imports torch."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import torch

from gpocli.errors import GpoError, SpecError, first_line


@contextmanager
def refused_options() -> Iterator[None]:
    """Turn what TRL and transformers refuse, while a trainer config is built, into `SpecError`."""
    try:
        yield
    except GpoError:
        raise
    except (TypeError, ValueError) as error:
        text = f"TRL refuses the options of this run: {first_line(error)}; see the `trl` section of the spec"
        raise SpecError(text) from error


def of_processes(options: Mapping[str, Any], count: int) -> dict[str, Any]:
    """The options of a run of `count` processes: one alone has no group, and so no backend for it."""
    return {name: value for name, value in options.items() if count > 1 or name != "ddp_backend"}


def named(place: str) -> Any:
    """What `module:Class` names."""
    module, name = place.split(":")
    return getattr(import_module(module), name)


def device_type() -> str:
    """What a run computes on here: "cuda", "mps" or "cpu"."""
    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpu"
