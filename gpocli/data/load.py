"""The rows of a run: from the embedded task, files, a gym task or the hub."""

import os
from collections.abc import Callable, Iterator

from gpocli.data.gym import gym_rows, is_gym
from gpocli.data.hub import EVAL_SPLITS, hub_eval_split, hub_rows, hub_stream
from gpocli.data.location import STDIN, find_files, kind_of, looks_local, split_of
from gpocli.data.prompts import prepare
from gpocli.data.read import Placed, placed_rows, read_file
from gpocli.data.rows import OnFault, Rows, gather, refuse
from gpocli.data.saved import saved_splits
from gpocli.data.stream import StreamedRows, stream
from gpocli.embedded import EMBEDDED
from gpocli.errors import SpecError
from gpocli.settings.data import DataSpec


def load_rows(data: DataSpec) -> Rows:
    """Rows of a source (see `raw_rows`), ready for a trainer: see `prepare` for what is checked.

    With `streaming` they are `StreamedRows`: the first ones, and a way to read all. Raises SpecError for bad data and
    EnvironmentFault when the hub cannot give the dataset, or a package is missing.
    """
    if data.streaming:
        return stream(data, _reader(data))
    return prepare(raw_rows(data), data)


def raw_rows(data: DataSpec, on_fault: OnFault = refuse) -> Rows:
    """Rows as they are: of files of this machine (see `gpocli.data.location.find_files`) or of standard input (`-`),
    of the embedded task (`embedded`), of reasoning-gym (`gym:task`), or of a hub dataset (`owner/name[:subset]`).

    Tells the faults of rows. Raises SpecError and EnvironmentFault for a source that cannot be had at all.
    """
    source, split, limit = data.source, data.split, data.limit
    if source == EMBEDDED:
        from gpocli.embedded import task

        if split not in ("train", "eval"):
            raise SpecError(f"the embedded task has no split '{split}'; write train or eval")
        values = task.rows("train" if split == "train" else "eval", limit)
        return gather(EMBEDDED, list(enumerate(values, start=1)), unit="row")
    if is_gym(source):
        if split != "train":
            raise SpecError(f"'{source}' has no split '{split}'; name another seed instead, as in gym:chain_sum?seed=2")
        return gym_rows(source, limit)
    if not looks_local(source):
        return hub_rows(source, split, limit)
    source = split_of(source, split)
    if source == STDIN and int(os.environ.get("WORLD_SIZE", "1")) > 1:  # as torchrun and accelerate say it
        raise SpecError("'-' reaches one process only, and this run has several; write the rows to a file")
    return read_file(source, limit=limit, on_fault=on_fault)


def evaluation_of(data: DataSpec) -> DataSpec:
    """The same for the rows to evaluate on. Raises SpecError when the source has no split for that."""
    source = data.eval_source or data.source
    split = data.eval_split or ("train" if data.eval_source else eval_split_of(source))
    if split is None:
        raise SpecError(f"'{source}' has no split to evaluate on; write data.eval_source, or data.eval_split")
    found = {"source": source, "split": split, "limit": data.eval_limit, "streaming": False}
    return data.model_copy(update=found)


def is_at_hand(source: str) -> bool:
    """Whether the rows of `source` are there at once, without asking a hub or starting a large package."""
    return source == EMBEDDED or (looks_local(source) and not is_gym(source))


def eval_split_of(source: str) -> str | None:
    """The split of `source` to evaluate on when none is named; None when it has none. Raises EnvironmentFault."""
    if source == EMBEDDED:
        return "eval"
    if is_gym(source):
        return None
    if looks_local(source):
        return next((split for split in EVAL_SPLITS if split in saved_splits(source)), None)
    return hub_eval_split(source)


def require_generation_batch(rows: Rows, needed: int) -> None:
    """Raise SpecError when there are fewer rows than one generation batch `needed`: no step could ever run.

    Streamed rows are always enough, for they come again.
    """
    if len(rows) < needed and not isinstance(rows, StreamedRows):
        raise SpecError(
            f"{rows.source}: needs at least {needed} prompts for one generation batch, has {len(rows)}; add rows, or "
            "lower batch.prompts_per_step or batch.updates_per_generation"
        )


def _reader(data: DataSpec) -> Callable[[], Iterator[Placed]]:
    """What reads a source from its first row, each time it is called."""
    source = data.source
    if source == EMBEDDED or is_gym(source):
        raise SpecError(f"'{source}' is made in memory, so it cannot be streamed; leave data.streaming out")
    if not looks_local(source):
        return hub_stream(source, data.split)
    source = split_of(source, data.split)
    if source == STDIN:
        raise SpecError("'-' cannot be read again, so it cannot be streamed; leave data.streaming out")
    for name, path in find_files(source):
        if kind_of(path) == ".json":
            raise SpecError(f"'{name}' holds one list, which cannot be streamed; write it as .jsonl")
    return lambda: placed_rows(source)
