"""Writing files that a user asked for, never over one that is there."""

from pathlib import Path

from gpocli.errors import EnvironmentFault, SpecError


def write_new(path: Path, text: str) -> None:
    """Write `text` to a file that does not exist yet. Raises `SpecError` where it does."""
    above = next(folder for folder in path.parents if folder.exists())
    if not above.is_dir():
        raise SpecError(f"'{above}' is a file, not a folder; name another file")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError as error:
        raise SpecError(f"'{path}' is there already; name another file") from error
    except OSError as error:
        raise EnvironmentFault(f"cannot write '{path}' ({error.strerror}); name another file") from error
