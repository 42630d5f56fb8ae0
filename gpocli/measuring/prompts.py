"""The rows of an evaluation: those that a run evaluates on, or those of a source that is named."""

from collections.abc import Mapping
from dataclasses import dataclass

from gpocli.asking.source import Asked
from gpocli.columns import read_path
from gpocli.data import Rows
from gpocli.data.load import evaluation_of, load_rows, raw_rows
from gpocli.data.prompts import prepare
from gpocli.embedded import EMBEDDED
from gpocli.errors import GpoError, SpecError
from gpocli.settings.data import DataSpec


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is said of the rows: a source with its split and columns, and how many; None: as the run has it."""

    source: str | None = None
    split: str | None = None
    limit: int | None = None
    columns: Mapping[str, str] | None = None


def rows_of(asked: Asked, wanted: Wanted) -> tuple[DataSpec, Rows]:
    """The rows to evaluate on, with the columns that rewards need, and where they are from.

    Prompts are as the source has them: what a chat puts around them comes when a model is asked. Raises SpecError
    where a run has none to evaluate on, and EnvironmentFault.
    """
    data = _evaluated(asked) if wanted.source is None else _named(asked, wanted)
    if wanted.limit is not None:
        data = data.model_copy(update={"limit": wanted.limit})
    if wanted.source is not None and not wanted.columns:
        raw = raw_rows(data)
        return data, prepare(raw, data.model_copy(update={"columns": _there(data.columns, raw)}))
    return data, load_rows(data)


def _evaluated(asked: Asked) -> DataSpec:
    """The rows that a run evaluates on while it trains."""
    if asked.run is None and asked.name != EMBEDDED:
        raise SpecError(f"'{asked.name}' is no run, so nothing tells what to ask it; name prompts with --data")
    data = DataSpec() if asked.run is None else DataSpec.model_validate(dict(asked.run.settings.get("data") or {}))
    try:
        return _plain(evaluation_of(data))
    except GpoError as error:
        raise SpecError(f"this run has no rows to evaluate on ({error}); name some with --data") from error


def _named(asked: Asked, wanted: Wanted) -> DataSpec:
    split = wanted.split or ("eval" if wanted.source == EMBEDDED else "train")
    found = {"source": wanted.source, "split": split, "limit": None, "streaming": False}
    columns = dict(wanted.columns or asked.spec.data.columns)
    return _plain(asked.spec.data.model_copy(update=found | {"columns": columns}))


def _plain(data: DataSpec) -> DataSpec:
    return data.model_copy(update={"system": None, "chat": False})


def _there(columns: Mapping[str, str], raw: Rows) -> dict[str, str]:
    """Those of a run's columns that other rows have, too."""
    return {ours: theirs for ours, theirs in columns.items() if _leads(theirs, raw)}


def _leads(path: str, raw: Rows) -> bool:
    try:
        return read_path(path, raw.columns) is not None
    except SpecError:
        return False
