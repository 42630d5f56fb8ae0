"""Datasets of a model hub, and not waiting for a hub that cannot be reached."""

import itertools
import os
import sys
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from gpocli.data.read import Placed
from gpocli.data.rows import Part, Rows, gather
from gpocli.errors import EnvironmentFault, SpecError, first_line

Answer = TypeVar("Answer")
EVAL_SPLITS = ("validation", "eval", "test")
"""Names of splits that are meant to evaluate on, the first of them first."""


def hub_rows(source: str, split: str, limit: int | None) -> Rows:
    """The rows of a dataset, `owner/name[:subset]`. Raises SpecError, or EnvironmentFault when it cannot be had."""
    dataset = _dataset(source, split)
    if limit is not None:
        dataset = dataset.select(range(min(limit, len(dataset))))
    return gather(source, enumerate(dataset, start=1), columns=dataset.column_names, unit="row")


def hub_stream(source: str, split: str) -> Callable[[], Iterator[Placed]]:
    """What reads a dataset from its first row, each time it is called, as it comes in."""
    dataset = _dataset(source, split, streaming=True)
    part = Part(source, 0, "row")

    def read() -> Iterator[Placed]:
        rows = iter(dataset)
        for number in itertools.count(1):
            values = _ask(source, lambda: next(rows, None))
            if values is None:
                return
            yield part, (number, values)

    return read


def hub_eval_split(source: str) -> str | None:
    """The split of a dataset that is meant to evaluate on, None without one."""
    import datasets

    found = _ask(source, lambda: datasets.get_dataset_split_names(*_name_and_subset(source)))
    return next((split for split in EVAL_SPLITS if split in found), None)


def go_offline_if_unreachable() -> bool:
    """Switch the hub libraries to their cache when the hub's name cannot be resolved; returns whether it was.

    Without this they ask five times, for about 23 seconds, before they say so. To be called before a hub id is
    loaded; behind a proxy nothing is changed.
    """
    import socket
    from urllib.parse import urlsplit
    from urllib.request import getproxies

    from huggingface_hub import constants

    host = urlsplit(constants.ENDPOINT).hostname
    if constants.HF_HUB_OFFLINE or getproxies() or host is None:
        return False
    try:
        socket.getaddrinfo(host, 443)
    except OSError:
        os.environ["HF_HUB_OFFLINE"] = "1"  # for child processes
        constants.HF_HUB_OFFLINE = True
        if "datasets" in sys.modules:  # which has made its own copy by then
            sys.modules["datasets"].config.HF_HUB_OFFLINE = True
        return True
    return False


def _dataset(source: str, split: str, **options: bool) -> Any:
    import datasets

    return _ask(source, lambda: datasets.load_dataset(*_name_and_subset(source), split=split, **options))


def _name_and_subset(source: str) -> tuple[str, str | None]:
    name, _, subset = source.partition(":")
    return name, subset or None


def _ask(source: str, ask: Callable[[], Answer]) -> Answer:
    from datasets.exceptions import DatasetsError

    go_offline_if_unreachable()
    try:
        return ask()
    except ValueError as error:  # no such split or subset
        raise SpecError(f"dataset '{source}': {first_line(error)}; name a split and subset that it has") from error
    except (DatasetsError, OSError) as error:
        raise EnvironmentFault(
            f"cannot load dataset '{source}' from the hub ({first_line(error)}); check the name and the connection, "
            f"or name a local file such as ./{_name_and_subset(source)[0].rsplit('/', 1)[-1]}.jsonl"
        ) from error
