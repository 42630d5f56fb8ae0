"""Whether a data source is a file of this machine, and which."""

import difflib
from pathlib import Path

from gpocli.errors import SpecError

READABLE = (".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".parquet")
_OTHER_FILES = (
    ".arrow",
    ".txt",
    ".xls",
    ".xlsx",
    ".yaml",
    ".yml",
    ".zip",
    ".zst",
    ".gz",
    ".bz2",
    ".xz",
    ".tar",
)


def looks_local(source: str) -> bool:
    """Whether `source` means a file of this machine, so that no hub is ever asked about it.

    It does when it starts like a path (`./`, `../`, `/`, `~`), holds a backslash, a blank, a wildcard or more
    than one slash, ends like a file name, or exists on disk.
    """
    return (
        source.startswith((".", "/", "~"))
        or source.endswith("/")
        or source.count("/") > 1
        or any(sign in source for sign in "\\*? ")
        or source.lower().endswith((*READABLE, *_OTHER_FILES))
        or Path(source).exists()
    )


def find_file(source: str) -> Path:
    """The file that `source` names; raises SpecError when there is none that can be read as rows."""
    path = Path(source).expanduser()
    if path.is_dir():
        raise SpecError(f"'{source}' is a folder; name one file in it ({', '.join(READABLE)})")
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
    if name.endswith(".gz") and not name.endswith(".parquet.gz"):
        name = name.removesuffix(".gz")
    return Path(name).suffix


def _nearest(path: Path, source: str) -> str:
    if "*" in source or "?" in source:
        return "wildcards are not expanded: name one file"
    if "\\" in source:
        return "write the path with forward slashes (/)"
    parent = path.parent
    if not parent.is_dir():
        return f"there is no folder '{parent}' either: check the path"
    near = difflib.get_close_matches(path.name, [entry.name for entry in parent.iterdir()], n=1)
    return f"did you mean '{parent / near[0]}'?" if near else "check the path"
