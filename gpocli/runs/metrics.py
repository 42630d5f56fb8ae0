"""The metrics file of a run: one strict JSON object a line, each with its step, its kind and the time in UTC."""

import json
import math
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
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


def rewind_metrics(path: Path, step: int, logged: Sequence[Mapping[str, Any]] = ()) -> None:
    """Take out the lines after `step`, those of an end, and one that was cut short: a resumed run repeats none.

    Lines of `logged` that are not there are put back, see `missing_lines`. Raises EnvironmentFault.
    """
    if not path.exists() and not logged:
        return
    kept = [line for line in read_metrics(path) if line["step"] <= step and line.get("kind") != "end"]
    if missing := missing_lines(kept, logged):
        kept = sorted([*kept, *missing], key=lambda line: (line["step"], line.get("kind") != "train"))
    part = path.with_name(path.name + ".part")
    with writing(path):
        part.write_text("".join(json.dumps(line) + "\n" for line in kept), encoding="ascii", newline="\n")
        os.replace(part, path)


def missing_lines(lines: Sequence[Mapping[str, Any]], logged: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """What a trainer has `logged` (`log_history` in its state) and `lines` lack, as lines; their `time` is null."""
    there = Counter((line["step"], line.get("kind")) for line in lines)
    missing = []
    for logs in logged:
        step, kind = int(logs["step"]), kind_of(logs)
        there[step, kind] -= 1
        if kind != "end" and there[step, kind] < 0:
            figures = {name: value for name, value in logs.items() if name != "step"}
            missing.append({"step": step, "kind": kind, "time": None, **plain(with_generation(figures, kind))})
    return missing


def kind_of(logs: Mapping[str, Any]) -> Kind:
    """Whether logs are of training steps, of an evaluation, or of the end of training."""
    if any(key.startswith("eval_") for key in logs):
        return "eval"
    return "end" if "train_runtime" in logs else "train"


def with_generation(logs: Mapping[str, Any], kind: Kind) -> dict[str, Any]:
    """Logs with a word on it where their step used an earlier generation batch, and so has no rewards of its own."""
    is_reused = kind == "train" and "reward" not in logs
    return {**logs, "new_generation": False} if is_reused else dict(logs)


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
