"""Folders that `save_to_disk` of `datasets` leaves: a dataset, or one in a folder of its own for each split."""

import json
from pathlib import Path
from typing import Any

from gpocli.errors import SpecError

_DATASET, _SPLITS = "state.json", "dataset_dict.json"


def saved_files(folder: Path) -> list[Path] | None:
    """The files of a saved dataset, in order; None for any other folder. Raises SpecError for one that is damaged.

    Its list of files counts: `Dataset.map` leaves files of its own beside them.
    """
    if not (folder / "dataset_info.json").is_file():
        return None
    listed = _listed(folder / _DATASET, "_data_files")
    return None if listed is None else [folder / str(one["filename"]) for one in listed]


def saved_splits(source: str) -> dict[str, str]:
    """The folders of a saved `DatasetDict`, by the names of its splits; none for any other source. Raises SpecError."""
    folder = Path(source).expanduser()
    listed = _listed(folder / _SPLITS, "splits")
    return {str(name): str(Path(source) / str(name)) for name in listed or ()}


def _listed(file: Path, name: str) -> list[Any] | None:
    try:
        value = json.loads(file.read_text(encoding="utf-8"))
    except OSError:
        return None
    except ValueError as error:
        raise SpecError(f"cannot read '{file}' ({error}); save the dataset again") from error
    listed = value.get(name) if isinstance(value, dict) else None
    if not isinstance(listed, list):
        raise SpecError(f"'{file}' holds no list '{name}'; save the dataset again")
    return listed
