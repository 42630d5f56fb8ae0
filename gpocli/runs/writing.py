"""A disk that takes no more is told in one line."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gpocli.errors import EnvironmentFault


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Tell that `path` could not be written inside, as `EnvironmentFault`."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        raise EnvironmentFault(f"cannot write '{path}' ({reason}); mend that and go on with --resume") from error
