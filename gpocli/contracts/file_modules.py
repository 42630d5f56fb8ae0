"""Files that are modules under a name of their own, which other processes find under it, too.

A process that is spawned imports the module of each function that it is handed, by its name, along the path of the
process that spawned it. So the path gets a folder with a module of that name for each file, which runs the file.
"""

import atexit
import os
import shutil
import sys
import tempfile
from functools import cache
from hashlib import sha256
from pathlib import Path

_MODULE = """__file__ = {path!r}
with open(__file__, "rb") as file:
    exec(compile(file.read(), __file__, "exec"))
"""


def module_name(path: Path) -> str:
    """The name of the module in the file `path`, an absolute one: two files may be called rewards.py."""
    return f"gpo_file_{path.stem}_{sha256(str(path).encode()).hexdigest()[:8]}"


def announce(path: Path) -> None:
    """Let processes that this one spawns import the module in `path`, and what lies beside it."""
    (_folder() / f"{module_name(path)}.py").write_text(_MODULE.format(path=str(path)), encoding="utf-8")
    stay_importable(path.parent)


def stay_importable(folder: Path) -> None:
    """Leave a folder on the path, after all that is installed."""
    if str(folder) not in sys.path:
        sys.path.append(str(folder))


@cache
def _folder() -> Path:
    """The folder of this process, last on the path, and removed at its end."""
    folder, owner = tempfile.mkdtemp(prefix="gpo-modules-"), os.getpid()

    def remove() -> None:
        if os.getpid() == owner:  # not at the end of a process that was forked
            shutil.rmtree(folder, ignore_errors=True)

    atexit.register(remove)
    sys.path.append(folder)
    return Path(folder)
