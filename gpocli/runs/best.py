"""The checkpoint that a run found to be the best, by the metric of its evaluations that its spec names."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gpocli.runs.checkpoints import step_of


@dataclass(frozen=True, slots=True)
class Best:
    """A checkpoint, the metric by which it is the best so far, and the value of that."""

    checkpoint: Path
    metric: str
    value: float


def best_checkpoint(checkpoints: Sequence[Path], settings: Mapping[str, Any]) -> Best | None:
    """The best of the checkpoints of a run, in the order of their steps, as its trainer noted it in the last one.

    None where the spec names no metric, or its checkpoint is not there.
    """
    metric = (settings.get("trl") or {}).get("metric_for_best_model")
    if not isinstance(metric, str):
        return None
    for last in reversed(checkpoints):
        noted = _noted(last)
        if noted is None:
            continue
        step, value = noted
        found = next((one for one in checkpoints if step_of(one) == step), None)
        return None if found is None else Best(found, metric, value)
    return None


def _noted(checkpoint: Path) -> tuple[int, float] | None:
    """Step and value of the best so far, as the trainer knew when it wrote a checkpoint."""
    try:
        state = json.loads((checkpoint / "trainer_state.json").read_bytes())
    except (OSError, ValueError):
        return None
    step, value = (
        (state.get(name) for name in ("best_global_step", "best_metric")) if isinstance(state, dict) else (0, 0)
    )
    return (step, float(value)) if isinstance(step, int) and isinstance(value, int | float) and step else None
