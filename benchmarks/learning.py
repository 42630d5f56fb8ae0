"""What training does to the embedded model: methods and filters from the same start, over several seeds.

`python -m benchmarks.learning` prints the table of the README: mean and 95 % interval over seeds of accuracy and length
on problems that no run trains on. `--arms` picks some (`--arms all`: all), `--seeds 5` says how many, `--model FOLDER`
starts from another model of the embedded task, and `--runs FOLDER` keeps the runs, so that a second call only measures.
"""

import argparse
import math
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import transformers
from transformers import AutoModelForCausalLM, AutoTokenizer

from examples.embedded_model.measure import Measurement, measure
from gpocli.embedded import MODEL_PATH

PROBLEMS = 512
SHARES = {"8 of 24": (24, 8), "4 of 24": (24, 4), "4 of 16": (16, 4)}
OTHERS = ("gmpo", "gspo", "dr_grpo", "dapo", "cispo")
T_975 = (math.inf, 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262)
"""Student's t for a 95 % interval, by degrees of freedom from 0 to 9."""
SIGNED = "{name: length_aware_accuracy, options: {right_long: 1, wrong_long: -1, unfinished: -1}}"
"""1 for right and -1 for wrong answers, whatever their length."""


def gfpo(share: str, *filters: str, algorithm: str = "gfpo") -> list[str]:
    """The arguments of a run that keeps a share of its candidates."""
    group_size, keep = SHARES[share]
    chosen = [argument for name in filters for argument in ("--filter", name)]
    return [algorithm, "-G", str(group_size), "-k", str(keep), *chosen]


ARMS = {
    "grpo": ["grpo", "-G", "8"],
    "length": gfpo("8 of 24", "length"),
    "correct-length": gfpo("8 of 24", "correct", "length"),
    "contrast": gfpo("8 of 24", "contrast"),
    "contrast-4-24": gfpo("4 of 24", "contrast"),
    "contrast-4-16": gfpo("4 of 16", "contrast"),
    "token-efficiency": [*gfpo("8 of 24", "token_efficiency"), "--set", f"rewards=[{SIGNED}]"],
    "grpo-length-aware": ["grpo", "-G", "8", "--reward", "length_aware_accuracy"],
    "length-aware": [*gfpo("8 of 24", "length"), "--reward", "length_aware_accuracy"],
    **{f"contrast-{name}": gfpo("8 of 24", "contrast", algorithm=name) for name in OTHERS},
}
README = ("grpo", "length", "correct-length", "contrast")


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean over seeds, and how far a 95 % interval reaches to both sides; infinite with one seed."""

    mean: float
    reach: float

    @classmethod
    def of(cls, values: Sequence[float]) -> "Interval":
        freedom = len(values) - 1
        error = statistics.stdev(values) / math.sqrt(len(values)) if freedom else math.inf
        return cls(statistics.mean(values), T_975[freedom] * error if freedom else math.inf)

    def text(self, digits: int) -> str:
        """`0.95 ± 0.01`; the mean alone with one seed."""
        reach = f" ± {self.reach:.{digits}f}" if math.isfinite(self.reach) else ""
        return f"{self.mean:.{digits}f}{reach}"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.learning", description=__doc__)
    parser.add_argument("--seeds", type=int, default=5, choices=range(1, len(T_975) + 1), metavar="1-10")
    parser.add_argument("--arms", nargs="+", default=list(README), choices=["all", *ARMS], metavar="ARM")
    parser.add_argument("--model", type=Path, default=MODEL_PATH)
    parser.add_argument("--runs", type=Path)
    told = parser.parse_args()
    transformers.utils.logging.disable_progress_bar()
    with tempfile.TemporaryDirectory() as folder:
        table(list(ARMS) if "all" in told.arms else told.arms, told.seeds, told.model, told.runs or Path(folder))


def table(arms: Sequence[str], seeds: int, model: Path, runs: Path) -> None:
    """Run what is missing under `runs`, and print a row for each arm as it is done."""
    print("| arm | accuracy | length | of grpo's | each seed |\n| --- | --- | --- | --- | --- |")
    print(row("before", [measured(model)]))
    base: float | None = None
    for arm in arms:
        results = [measured(trained(arm, seed, model, runs)) for seed in range(seeds)]
        if arm == "grpo":
            base = statistics.mean(result.mean_length for result in results)
        print(row(arm, results, base), flush=True)


def trained(arm: str, seed: int, model: Path, runs: Path) -> Path:
    """The model of a run, which is made where it is missing."""
    out = (runs / f"{arm}-{seed}").resolve()
    if not (out / "model").is_dir():
        command = [sys.executable, "-m", "gpocli", "train", *ARMS[arm], "--model", str(model), "--seed", str(seed)]
        if model == MODEL_PATH:
            del command[command.index("--model") : command.index("--seed")]
        subprocess.run([*command, "--out", str(out)], stdout=subprocess.DEVNULL, check=True, env=os.environ)
    return out / "model"


def measured(folder: Path) -> Measurement:
    """Accuracy and length on problems that no run trains on."""
    model, tokenizer = AutoModelForCausalLM.from_pretrained(folder), AutoTokenizer.from_pretrained(folder)
    return measure(model, tokenizer, PROBLEMS)


def row(name: str, results: Sequence[Measurement], base: float | None = None) -> str:
    """A line of the table; `base` is the mean length that lengths are compared with."""
    accuracy = Interval.of([result.accuracy for result in results])
    length = Interval.of([result.mean_length for result in results])
    share = "" if base is None else f"{length.mean / base:.2f}"
    each = ", ".join(f"{result.accuracy:.2f} at {result.mean_length:.1f}" for result in results)
    return f"| `{name}` | {accuracy.text(3)} | {length.text(1)} | {share} | {each} |"


if __name__ == "__main__":
    main()
