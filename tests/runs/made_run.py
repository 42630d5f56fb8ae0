"""Run directories as runs leave them, small enough to count by hand."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gpocli.runs.metrics import append_metrics
from gpocli.runs.records import CandidateRecord, CandidateWriter
from gpocli.spec import RunSpec
from gpocli.spec.dump import dump_spec


def make_run(path: Path, *, steps: int = 2, of: int = 2, ended: bool = True, **sections: Any) -> Path:
    """A GFPO run, 2 of 4, that took `steps` steps of `of`; step s has reward s/10 and length 10 - s."""
    algorithm = {"type": "gfpo", "group_size": 4, "keep": 2, "filters": [{"name": "length"}]}
    base: dict[str, Any] = {"algorithm": algorithm, "data": {"source": "data.jsonl"}, "run": {"steps": of}}
    path.mkdir(parents=True, exist_ok=True)
    (path / "spec.yaml").write_text(dump_spec(RunSpec.model_validate(base | sections)), encoding="utf-8")
    (path / "run.lock").touch()
    for step in range(1, steps + 1):
        figures = {"reward": step / 10, "kept/mean_length": 10 - step, "completions/mean_length": 20 - step}
        append_metrics(path / "metrics.jsonl", step, "train", figures)
    if ended:
        append_metrics(path / "metrics.jsonl", steps, "end", {"train_runtime": 60.0})
        (path / "model").mkdir(exist_ok=True)
        (path / "model" / "training_args.bin").touch()
    return path


def candidate(step: int, group: int, number: int, outcome: str, **values: Any) -> CandidateRecord:
    """A candidate of data row group + 1, as long as its text, which has a token a character."""
    text = values.pop("text", "x" * (number + 1))
    is_kept = outcome == "kept"
    reward = values.pop("reward", 1.0 if is_kept else None)
    base: dict[str, Any] = {
        "step": step,
        "prompt_id": group + 1,
        "group": group,
        "candidate": number,
        "prompt": f"prompt {group + 1}",
        "completion": text,
        "tokens": list(range(len(text))),
        "length": len(text),
        "finished": outcome != "lost",
        "rewards": {"accuracy": reward},
        "reward": reward,
        "filter_score": None if outcome == "lost" else (-float(len(text)),),
        "kept": is_kept,
        "outcome": outcome,
        "advantage": 0.0 if is_kept else None,
    }
    return CandidateRecord(**base | values)


def record(path: Path, *batches: Sequence[CandidateRecord]) -> None:
    """Write generation batches into a run."""
    write = CandidateWriter(path / "candidates")
    for batch in batches:
        write(batch)


def four(step: int, group: int) -> list[CandidateRecord]:
    """A group of 1, 2, 3 and 4 tokens: the first two kept, the third rejected, the fourth lost."""
    outcomes = ("kept", "kept", "rejected", "lost")
    return [candidate(step, group, number, outcome) for number, outcome in enumerate(outcomes)]
