"""References to a filter or reward that is not packaged: `./file.py:name` and `package.module:name`."""

import importlib
import importlib.util
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from gpocli.contracts.callables import one_line_cause
from gpocli.contracts.file_modules import announce, module_name, stay_importable
from gpocli.contracts.nearest import did_you_mean
from gpocli.errors import PluginError, SpecError


@dataclass(frozen=True, slots=True)
class Referenced:
    """What a reference leads to, and the file it is in."""

    name: str
    value: Any
    file: str | None


def is_reference(text: str) -> bool:
    """Whether `text` is a reference rather than a registered name."""
    return ":" in text or "." in text or _is_file(text)


def follow_reference(reference: str, kind: str) -> Referenced:
    """Import what `reference` names; `kind` is "filter" or "reward", for messages.

    Raises `SpecError` when it is malformed or there is no such file, module or name, and `PluginError` with
    the cause when the file or module fails while it is imported.
    """
    place, _, name = reference.rpartition(":")
    if not place or not name.isidentifier():
        example = "./file.py:NAME" if ":" in reference else f"{reference}:NAME"
        raise SpecError(f"{kind} '{reference}' does not say which name to take; write {example}")
    module = import_file(place, kind) if _is_file(place) else _import_module(place, kind)
    if not hasattr(module, name):
        public = [public for public, value in vars(module).items() if callable(value) and public[0] != "_"]
        raise SpecError(f"there is no '{name}' in '{place}'; {did_you_mean(name, public)}")
    return Referenced(name, getattr(module, name), getattr(module, "__file__", None))


def _is_file(place: str) -> bool:
    return place.endswith(".py") or "/" in place or "\\" in place or place.startswith((".", "~"))


def import_file(place: str, kind: str) -> ModuleType:
    """The module in a file, imported once; raises as `follow_reference` does."""
    path = Path(place).expanduser().resolve()
    if not path.is_file():
        raise SpecError(f"{kind} '{place}': no such file; check the path, which starts at {Path.cwd()}")
    name = module_name(path)
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise SpecError(f"{kind} '{place}' is not a Python file; write ./file.py:NAME")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses and pickle look classes up there
    try:
        with importable(path.parent):
            spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        sys.modules.pop(name, None)  # so that it is read again when it has been put right
        raise PluginError(f"{kind} '{place}' failed on import: {one_line_cause(error)}; mend the file") from error
    with suppress(OSError):  # where nothing can be written, only processes that are spawned miss it
        announce(path)
    return module


def _import_module(place: str, kind: str) -> ModuleType:
    if not all(part.isidentifier() for part in place.split(".")):
        raise SpecError(f"{kind} '{place}' is no module name; write package.module:NAME or ./file.py:NAME")
    try:
        with importable(Path.cwd()):
            module = importlib.import_module(place)
    except (Exception, SystemExit) as error:
        # A module that is missing is a fault of the reference only if it is (a parent of) the one that was named.
        absent = error.name if isinstance(error, ModuleNotFoundError) else None
        if absent is not None and f"{place}.".startswith(f"{absent}."):
            raise SpecError(f"{kind} '{place}': no module '{absent}'; install it or check the name") from error
        raise PluginError(f"{kind} '{place}' failed on import: {one_line_cause(error)}; mend the module") from error
    stay_importable(Path.cwd())
    return module


@contextmanager
def importable(folder: Path, *, first: bool = False) -> Iterator[None]:
    """Let modules in `folder` be imported while the block runs, before or after everything that is installed."""
    entry = str(folder.resolve())
    sys.path.insert(0 if first else len(sys.path), entry)
    try:
        yield
    finally:  # the block may have changed the path itself: only our own entry is taken out, if it is still there
        if places := [place for place, one in enumerate(sys.path) if one == entry]:
            del sys.path[places[0 if first else -1]]
