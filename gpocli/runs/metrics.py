"""The metrics file of a run: one strict JSON object a line, each with its step, its kind and the time in UTC."""

import json
import math
import os
from collections.abc import Iterator, Mapping
from numbers import Integral, Real
from pathlib import Path
from typing import Any, Literal

from gpocli.runs.manifest import now
from gpocli.runs.writing import writing

Kind = Literal["train", "eval", "end"]


def append_metrics(path: Path, step: int, kind: Kind, logs: Mapping[str, Any]) -> None:
    """Add one line. Numbers that JSON cannot hold (NaN, infinities) become null. Raises EnvironmentFault."""
    line = json.dumps({"step": step, "kind": kind, "time": now(), **plain(logs)}, allow_nan=False)
    with writing(path), path.open("a", encoding="ascii", newline="\n") as file:
        file.write(line + "\n")


def read_metrics(path: Path) -> list[dict[str, Any]]:
    """The lines of a metrics file in order, but for one that was cut short; none when there is no file."""
    return list(_whole_lines(path)) if path.exists() else []


def rewind_metrics(path: Path, step: int) -> None:
    """Take out the lines after `step`, those of an end, and one that was cut short: a resumed run repeats none.

    Raises EnvironmentFault.
    """
    if not path.exists():
        return
    kept = [line for line in _whole_lines(path) if line["step"] <= step and line.get("kind") != "end"]
    part = path.with_name(path.name + ".part")
    with writing(path):
        part.write_text("".join(json.dumps(line) + "\n" for line in kept), encoding="ascii", newline="\n")
        os.replace(part, path)


def plain(value: Any) -> Any:
    """Logs as values that strict JSON can hold: numbers of any library become Python's, NaN and infinities None."""
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real) or hasattr(value, "item"):
        number = float(value)
        return number if math.isfinite(number) else None
    if isinstance(value, Mapping):
        return {str(name): plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return str(value)


def _whole_lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open("rb") as file:
        for raw in file:
            try:
                line = json.loads(raw)
            except ValueError:
                continue
            if isinstance(line, dict) and isinstance(line.get("step"), int):
                yield line
