"""`make bench`: measures every figure, writes benchmarks/results.json and the tables of benchmarks/README.md."""

import argparse
import json
import os
import platform
import statistics
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import torch
import transformers
import trl

from benchmarks.environments import ROOT, old_trl_python, own_python
from benchmarks.figures import EMBEDDED_TEXTS, FIGURES, Figure, Job, curve_jobs
from benchmarks.first_message import first_messages
from benchmarks.models import save_mid_size
from benchmarks.report import write_report
from gpocli.embedded import MODEL_PATH

CURVE, MESSAGES = "curve", "first_messages"
THREADS = int(os.environ.get("BENCH_THREADS", "2"))


class Bench:
    """Runs jobs, each in a process of its own environment."""

    def __init__(self, folder: Path) -> None:
        self._mid = folder / "mid"
        self.parameters = save_mid_size(self._mid)
        self._turn = 0

    def run(self, job: Job) -> dict[str, Any]:
        """What the worker printed."""
        python = old_trl_python() if job.environment == "old_trl" else own_python()
        self._turn += 1
        task = job.task | {
            "model": str(MODEL_PATH) if job.task["model"] == "embedded" else str(self._mid),
            "texts": self._texts(job.task["model"], job.task["prompts"]),
            "threads": THREADS,
            "seed": self._turn,
        }
        worker = ROOT / "benchmarks" / f"{job.worker}.py"
        command = [python, "-W", "ignore", str(worker), json.dumps(task)]
        environment = os.environ | {"OMP_NUM_THREADS": str(THREADS)}
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
        if done.returncode:
            raise SystemExit(f"{worker.name} failed: {done.stderr[-3000:]}")
        return json.loads(done.stdout.strip().splitlines()[-1])

    def _texts(self, model: str, prompts: int) -> list[str]:
        if model == "embedded":
            return [EMBEDDED_TEXTS[i % len(EMBEDDED_TEXTS)].replace("=?", f"{i}=?") for i in range(prompts)]
        return [" ".join(f"w{(7 * i + j) % 500}" for j in range(12)) for i in range(prompts)]

    def measure(self, figure: Figure) -> dict[str, Any]:
        """The ratio of a figure, its two jobs in turn: A B A B."""
        if figure.value in ("rollout", "decode"):
            results = [self.run(figure.over) for _ in range(figure.turns)]
            if figure.value == "decode":
                ratio = statistics.median(ratio for result in results for ratio in result["ratios"])
            else:
                ratio = results[0]["generate"] / results[0]["gpo"]
            return self._row(figure, ratio, results, results)
        over, under = [], []
        for _ in range(figure.turns):
            over.append(self.run(figure.over))
            under.append(self.run(figure.under))
        ratio = statistics.median(r["median"] for r in over) / statistics.median(r["median"] for r in under)
        return self._row(figure, ratio, over, under)

    def _row(self, figure: Figure, ratio: float, over: list[Any], under: list[Any]) -> dict[str, Any]:
        met = None
        if figure.target is not None:
            met = ratio >= figure.target if figure.at_least else ratio <= figure.target
        row = {
            "figure": figure.name,
            "ratio": ratio,
            "target": figure.target,
            "at_least": figure.at_least,
            "met": met,
            "over": over,
            "under": under,
        }
        verdict = "" if met is None else f" ({'met' if met else 'missed'}: {figure.target})"
        print(f"{figure.name}: {ratio:.2f}{verdict}", flush=True)
        return row

    def curve(self) -> list[dict[str, Any]]:
        """Step time and candidate tokens against G, with and without the race."""
        rows = []
        for size, race, job in curve_jobs():
            result = self.run(job)
            rows.append({"group_size": size, "race": race, "seconds": result["median"], "tokens": result["tokens"]})
            print(f"G = {size}, race {'on' if race else 'off'}: {result['median']:.2f} s", flush=True)
        return rows


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "--only", help=f"measure the figures whose name holds this text, or {CURVE} or {MESSAGES}, and keep the others"
    )
    only = parser.parse_args().only
    path = ROOT / "benchmarks" / "results.json"
    results = {} if only is None else json.loads(path.read_text())
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder))
        if only is None:
            results["machine"] = machine(bench.parameters)
        measured = {figure.name: bench.measure(figure) for figure in FIGURES if only is None or only in figure.name}
        before = {row["figure"]: row for row in results.get("figures", [])} | measured
        results["figures"] = [before[figure.name] for figure in FIGURES if figure.name in before]
        if only in (None, CURVE):
            results[CURVE] = bench.curve()
        if only in (None, MESSAGES):
            results[MESSAGES] = first_messages()
    path.write_text(json.dumps(results, indent=1) + "\n")
    write_report(results, ROOT / "benchmarks" / "README.md")


def machine(mid_size_parameters: int) -> dict[str, Any]:
    """What the figures were measured on."""
    return {
        "processor": platform.processor() or platform.machine(),
        "threads": THREADS,
        "torch": torch.__version__,
        "transformers": transformers.__version__,
        "trl": trl.__version__,
        "mid_size_parameters": mid_size_parameters,
    }


if __name__ == "__main__":
    main()
