"""Whether a checkpoint is whole: its manifest, written last, lists its files with their sizes and digests.

<folder>/checkpoint-<step>/
    manifest.json    {"files": {name: {"size": bytes, "sha256": hex}}, "layout": {name: number}, "sources": {name: hex}}

`layout` says how the run was spread over processes and micro-batches, `sources` of what code and data it was made.
"""

import functools
import hashlib
import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

MANIFEST = "manifest.json"
_CHECKPOINT = re.compile(r"checkpoint-(\d+)")


def seal(checkpoint: Path, *, layout: Mapping[str, int], sources: Mapping[str, str]) -> None:
    """Bring all files of a checkpoint to the disk, then write its manifest. Raises OSError."""
    manifest, part, files = checkpoint / MANIFEST, checkpoint / f"{MANIFEST}.part", {}
    inside = sorted(path for path in checkpoint.rglob("*") if path not in (manifest, part))
    for file in filter(Path.is_file, inside):
        _sync(file)
        files[file.relative_to(checkpoint).as_posix()] = {"size": file.stat().st_size, "sha256": _digest(file)}
    text = json.dumps({"files": files, "layout": dict(layout), "sources": dict(sources)}, indent=1)
    part.write_text(text + "\n", encoding="utf-8", newline="\n")
    for path in (part, *filter(Path.is_dir, inside)):
        _sync(path)
    os.replace(part, manifest)
    _sync(checkpoint)
    _sync(checkpoint.parent)


def read_manifest(checkpoint: Path) -> dict[str, Any]:
    """The manifest of a checkpoint. Raises OSError when there is none, ValueError when it is damaged."""
    manifest = json.loads((checkpoint / MANIFEST).read_bytes())
    if not isinstance(manifest, dict) or not {"files", "layout", "sources"} <= manifest.keys():
        raise ValueError(f"{MANIFEST} lacks a part")
    return manifest


def damage(checkpoint: Path) -> str | None:
    """What is wrong with the files of a checkpoint, None when it is whole: `optimizer.pt has 10 bytes, not 2,048`."""
    try:
        manifest = read_manifest(checkpoint)
    except FileNotFoundError:
        return f"{MANIFEST} is missing"
    except (OSError, ValueError):
        return f"{MANIFEST} cannot be read"
    faults = (_fault(checkpoint / name, name, noted) for name, noted in manifest["files"].items())
    return ", ".join(fault for fault in faults if fault is not None) or None


def is_sealed(checkpoint: Path) -> bool:
    """Whether a checkpoint was once whole."""
    return (checkpoint / MANIFEST).exists()


def layout_change(checkpoint: Path, layout: Mapping[str, int]) -> str | None:
    """Why a run that is spread in this way cannot go on from a whole checkpoint, None when it can.

    Sums in another order, and other random states, would make it another run.
    """
    saved = read_manifest(checkpoint)["layout"]
    changed = [name for name in layout if saved.get(name) != layout[name]]
    if not changed:
        return None
    before, now = (", ".join(_count(name, sizes.get(name)) for name in changed) for sizes in (saved, layout))
    return (
        f"'{checkpoint}' was saved with {before} and cannot go on with {now}; resume with what it was, or start anew "
        f"from its weights with '{checkpoint}' as the model"
    )


def latest_whole(folder: Path) -> tuple[Path | None, dict[str, str]]:
    """The whole checkpoint of the highest step in `folder`, and what is wrong with each later one, by its name."""
    damaged: dict[str, str] = {}
    for _, path in sorted(_checkpoints(folder), reverse=True):
        fault = damage(path)
        if fault is None:
            return path, damaged
        damaged[path.name] = fault
    return None, damaged


def logged_until(checkpoint: Path) -> list[dict[str, Any]]:
    """What the trainer had logged when it wrote a checkpoint, each with its step; nothing where that is not told."""
    try:
        state = json.loads((checkpoint / "trainer_state.json").read_bytes())
    except (OSError, ValueError):
        return []
    logged = state.get("log_history") if isinstance(state, dict) else None
    return [one for one in logged or () if isinstance(one, dict) and isinstance(one.get("step"), int)]


def step_of(checkpoint: Path) -> int:
    """The step that a checkpoint was written after."""
    return int(checkpoint.name.rsplit("-", 1)[1])


def _count(name: str, number: Any) -> str:
    """`2 processes`, `num_iterations 4`."""
    if name != "processes":
        return f"{name} {number}"
    return "1 process" if number == 1 else f"{number} processes"


def _checkpoints(folder: Path) -> list[tuple[int, Path]]:
    matches = [(_CHECKPOINT.fullmatch(path.name), path) for path in folder.iterdir()] if folder.is_dir() else []
    return [(int(match[1]), path) for match, path in matches if match and path.is_dir()]


def _fault(file: Path, name: str, noted: Mapping[str, Any]) -> str | None:
    try:
        size = file.stat().st_size
        if size != noted["size"]:
            return f"{name} has {size:,} bytes, not {noted['size']:,}"
        return None if _digest(file) == noted["sha256"] else f"{name} has other bytes"
    except FileNotFoundError:
        return f"{name} is missing"
    except OSError as error:
        return f"{name} cannot be read ({error.strerror})"


def _digest(file: Path) -> str:
    stat = file.stat()
    return _digest_of(file, stat.st_ino, stat.st_size, stat.st_mtime_ns)


@functools.cache  # a process reads tens of gigabytes once, not at each look
def _digest_of(file: Path, inode: int, size: int, mtime: int) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def _sync(path: Path) -> None:
    """Bring a file or folder to the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
