"""The rows of a run: from the embedded task, files, a gym task or the hub."""

import itertools
import os
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, TypeVar

from gpocli.data import Rows, gather, looks_local, prepare
from gpocli.data.faults import OnFault, refuse
from gpocli.data.gym import gym_rows, is_gym
from gpocli.data.hub import go_offline_if_unreachable
from gpocli.data.location import STDIN
from gpocli.data.prompts import BadRows
from gpocli.data.read import read_file
from gpocli.data.rows import Part
from gpocli.data.stream import Placed, StreamedRows, file_stream, stream
from gpocli.embedded import EMBEDDED
from gpocli.errors import EnvironmentFault, SpecError

if TYPE_CHECKING:
    pass

Answer = TypeVar("Answer")
_EVAL_SPLITS = ("validation", "eval", "test")


def load_rows(
    source: str,
    *,
    split: str = "train",
    columns: Mapping[str, str] | None = None,
    limit: int | None = None,
    system: str | None = None,
    as_chat: bool = False,
    bad_rows: BadRows = "refuse",
    streaming: bool = False,
) -> Rows:
    """Rows of a source (see `raw_rows`), ready for a trainer; see `gpocli.data.prepare` for what is checked.

    With `streaming` they are `StreamedRows`: the first ones, and a way to read all. Raises SpecError for bad data and
    EnvironmentFault when the hub cannot give the dataset, or a package is missing.
    """
    if streaming:
        read = _reader(source, split)
        return stream(source, read, columns=columns, limit=limit, system=system, as_chat=as_chat, bad_rows=bad_rows)
    rows = raw_rows(source, split=split, limit=limit)
    return prepare(rows, columns=columns, system=system, as_chat=as_chat, bad_rows=bad_rows)


def raw_rows(source: str, *, split: str = "train", limit: int | None = None, on_fault: OnFault = refuse) -> Rows:
    """Rows as they are: of files of this machine (see `gpocli.data.location.find_files`) or of standard input (`-`),
    of the embedded task (`embedded`), of reasoning-gym (`gym:task`), or of a hub dataset (`owner/name[:subset]`).

    Tells the faults of rows. Raises SpecError and EnvironmentFault for a source that cannot be had at all.
    """
    if source == EMBEDDED:
        return _embedded_rows(split, limit)
    if is_gym(source):
        if split != "train":
            raise SpecError(f"'{source}' has no split '{split}'; name another seed instead, as in gym:chain_sum?seed=2")
        return gym_rows(source, limit)
    if not looks_local(source):
        return _hub_rows(source, split, limit)
    if split != "train":
        raise SpecError(f"'{source}' is one file and has no split '{split}'; name a file for each purpose")
    if source == STDIN and int(os.environ.get("WORLD_SIZE", "1")) > 1:
        raise SpecError("'-' reaches one process only, and this run has several; write the rows to a file")
    return read_file(source, limit=limit, on_fault=on_fault)


def is_at_hand(source: str) -> bool:
    """Whether the rows of `source` are there at once, without asking a hub or starting a large package."""
    return source == EMBEDDED or (looks_local(source) and not is_gym(source))


def eval_split_of(source: str) -> str | None:
    """The split of `source` to evaluate on when none is named; None when it has none. Raises EnvironmentFault."""
    if source == EMBEDDED:
        return "eval"
    if is_gym(source) or looks_local(source):
        return None
    import datasets

    name, subset = _subset(source)
    found = _ask_hub(source, lambda: datasets.get_dataset_split_names(name, subset))
    return next((split for split in _EVAL_SPLITS if split in found), None)


def require_generation_batch(rows: Rows, needed: int) -> None:
    """Raise SpecError when there are fewer rows than one generation batch `needed`: no step could ever run.

    Streamed rows are always enough, for they come again.
    """
    if len(rows) < needed and not isinstance(rows, StreamedRows):
        raise SpecError(
            f"{rows.source}: needs at least {needed} prompts for one generation batch, has {len(rows)}; add rows, or "
            "lower batch.prompts_per_step or batch.updates_per_generation"
        )


def _embedded_rows(split: str, limit: int | None) -> Rows:
    from gpocli.embedded import task

    if split not in ("train", "eval"):
        raise SpecError(f"the embedded task has no split '{split}'; write train or eval")
    values = task.rows("train" if split == "train" else "eval", limit)
    return gather(EMBEDDED, list(enumerate(values, start=1)), unit="row")


def _hub_rows(source: str, split: str, limit: int | None) -> Rows:
    import datasets

    name, subset = _subset(source)
    dataset = _ask_hub(source, lambda: datasets.load_dataset(name, subset, split=split))
    if limit is not None:
        dataset = dataset.select(range(min(limit, len(dataset))))
    return gather(source, list(enumerate(dataset, start=1)), columns=dataset.column_names, unit="row")


def _reader(source: str, split: str) -> Callable[[], Iterator[Placed]]:
    """What reads a source from its first row, each time it is called."""
    if source == EMBEDDED or is_gym(source):
        raise SpecError(f"'{source}' is made in memory, so it cannot be streamed; leave data.streaming out")
    if looks_local(source):
        if split != "train":
            raise SpecError(f"'{source}' is one file and has no split '{split}'; name a file for each purpose")
        return file_stream(source)
    import datasets

    name, subset = _subset(source)
    dataset = _ask_hub(source, lambda: datasets.load_dataset(name, subset, split=split, streaming=True))
    part = Part(source, 0, "row")

    def read() -> Iterator[Placed]:
        rows = iter(dataset)
        for number in itertools.count(1):
            values = _ask_hub(source, lambda: next(rows, None))
            if values is None:
                return
            yield part, (number, values)

    return read


def _subset(source: str) -> tuple[str, str | None]:
    name, _, subset = source.partition(":")
    return name, subset or None


def _ask_hub(source: str, ask: Callable[[], Answer]) -> Answer:
    from datasets.exceptions import DatasetsError

    go_offline_if_unreachable()
    try:
        return ask()
    except ValueError as error:  # no such split or subset
        raise SpecError(f"dataset '{source}': {_first_line(error)}; name a split and subset that it has") from error
    except (DatasetsError, OSError) as error:
        raise EnvironmentFault(
            f"cannot load dataset '{source}' from the hub ({_first_line(error)}); check the name and the connection, "
            f"or name a local file such as ./{_subset(source)[0].rsplit('/', 1)[-1]}.jsonl"
        ) from error


def _first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".;")[:300]
