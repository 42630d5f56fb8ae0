"""Whether a data source is a file of this machine, and which."""

import difflib
import glob
import re
from pathlib import Path

from gpocli.data.saved import saved_files, saved_splits
from gpocli.errors import SpecError

READABLE = (".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".parquet", ".arrow")
_OTHER_FILES = tuple(".txt .xls .xlsx .yaml .yml .zip .zst .gz .bz2 .xz .tar".split())

STDIN = "-"
"""The source that stands for standard input."""
STDIN_NAME = "stdin"
"""What messages call it: `stdin:3: ...`."""

_LEFT_BEHIND = re.compile(r"[._]|cache-.*\.arrow$|dataset_infos?\.json$")
"""What tools leave beside data: ._data.csv, _SUCCESS, _metadata, cache-0123456789abcdef.arrow, dataset_info.json."""
_TRAIN, _EVAL = ("train", "training"), ("test", "testing", "eval", "valid", "validation", "dev")


def looks_local(source: str) -> bool:
    """Whether `source` means a file of this machine, so that no hub is ever asked about it.

    It does when it is `-`, or starts like a path (`./`, `../`, `/`, `~`), holds a backslash, a blank, a wildcard or
    more than one slash, ends like a file name, or exists on disk.
    """
    return (
        source == STDIN
        or source.startswith((".", "/", "~"))
        or source.endswith("/")
        or source.count("/") > 1  # a hub id is owner/name
        or any(sign in source for sign in "\\*? ")
        or source.lower().endswith((*READABLE, *_OTHER_FILES))
        or Path(source).exists()
    )


def find_files(source: str) -> list[tuple[str, Path]]:
    """The files that `source` names, in order, each with the name that messages call it.

    It names one file; several with commas between them; those that match a pattern with `*` or `?`; or the files of a
    folder, which must be of one kind and of one split, or of a dataset that was saved. Raises SpecError when there is
    none, or one cannot be read.
    """
    path = Path(source).expanduser()
    if path.is_dir() and (path / "spec.yaml").is_file() and (path / "metrics.jsonl").is_file():
        raise SpecError(f"'{source}' is the directory of a run, not data; its data is named in {path / 'spec.yaml'}")
    if path.is_dir():
        saved = saved_files(path)
        return _files_in(path, source) if saved is None else [(str(entry), _file(str(entry))) for entry in saved]
    if "," in source and not path.exists():  # a file may be called so
        return [file for part in source.split(",") if part.strip() for file in find_files(part.strip())]
    if ("*" in source or "?" in source) and not path.exists():
        matches = [name for name in sorted(glob.glob(str(path), recursive=True)) if Path(name).is_file()]
        if not matches:
            raise SpecError(f"no file matches '{source}'; check the pattern")
        return [(name, _file(name)) for name in matches]
    return [(source, _file(source))]


def split_of(source: str, split: str) -> str:
    """The source of one split: the folder of that name in a saved `DatasetDict`. Raises SpecError for other splits."""
    folders = saved_splits(source)
    if not folders and split != "train":
        raise SpecError(f"'{source}' is one file and has no split '{split}'; name a file for each purpose")
    if folders and split not in folders:
        others = ", ".join(f"'{name}'" for name in folders)
        raise SpecError(f"'{source}' has no split '{split}' but {others}; set data.split={next(iter(folders))}")
    return folders.get(split, source)


def _files_in(folder: Path, source: str) -> list[tuple[str, Path]]:
    found = sorted(
        entry
        for entry in folder.iterdir()
        if entry.is_file() and kind_of(entry) in READABLE and not _LEFT_BEHIND.match(entry.name)
    )
    if splits := saved_splits(source):
        raise SpecError(f"'{source}' holds a dataset for each split; name one, such as '{next(iter(splits.values()))}'")
    if not found:
        raise SpecError(f"'{source}' is a folder without files of rows ({', '.join(READABLE)}); name a file")
    kinds = sorted({kind_of(entry) for entry in found})
    if len(kinds) > 1:
        raise SpecError(
            f"'{source}' is a folder with files of several kinds ({', '.join(kinds)}); name one file in it, or a "
            f"pattern such as '{folder / ('*' + kind_of(found[0]))}'"
        )
    words_of = {entry: set(re.split(r"[^a-z]+", entry.name.lower())) for entry in found}
    of_train, of_eval = ([entry for entry in found if words_of[entry] & {*words}] for words in (_TRAIN, _EVAL))
    if of_eval and len(of_eval) < len(found):
        others = of_train or [entry for entry in found if entry not in of_eval]
        raise SpecError(
            f"'{source}' is a folder with files to train on and to evaluate on ('{of_eval[0].name}'); name those to "
            f"train on, such as '{others[0]}'"
        )
    return [(str(entry), entry) for entry in found]


def _file(source: str) -> Path:
    path = Path(source).expanduser()
    if not path.exists():
        raise SpecError(f"no such file '{source}'; {_nearest(path, source)}")
    if not path.is_file():
        raise SpecError(f"'{source}' is not a regular file; name a file of rows ({', '.join(READABLE)})")
    if kind_of(path) not in READABLE:
        raise SpecError(f"cannot read '{source}': its name ends in none of {', '.join(READABLE)}; convert it first")
    return path


def kind_of(path: Path) -> str:
    """The suffix that says how `path` is to be read, in lower case; `.gz` counts for the suffix before it."""
    name = path.name.lower()
    if name.endswith(".gz") and not name.endswith((".parquet.gz", ".arrow.gz")):  # those pack their columns themselves
        name = name.removesuffix(".gz")
    return Path(name).suffix


def _nearest(path: Path, source: str) -> str:
    if "\\" in source:
        return "write the path with forward slashes (/)"
    parent = path.parent
    if not parent.is_dir():
        return f"there is no folder '{parent}' either: check the path"
    near = difflib.get_close_matches(path.name, [entry.name for entry in parent.iterdir()], n=1)
    return f"did you mean '{parent / near[0]}'?" if near else "check the path"
