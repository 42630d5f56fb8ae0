"""What training does to the embedded model: GRPO 8/8 and GFPO 8/24 from the same start, three seeds.

`python -m benchmarks.learning` prints the table of the README.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import transformers
from transformers import AutoModelForCausalLM, AutoTokenizer

from examples.embedded_model.measure import Measurement, measure
from gpocli.embedded import MODEL_PATH

RUNS = [
    ("GRPO, 8 of 8", ["grpo", "-G", "8"]),
    ("GFPO, 8 of 24, shortest", ["gfpo", "-G", "24", "-k", "8", "--filter", "length"]),
]
PROBLEMS = 512


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.learning", description=__doc__)
    parser.add_argument("--seeds", type=int, default=3)
    seeds = range(parser.parse_args().seeds)
    transformers.utils.logging.disable_progress_bar()
    start = measured(MODEL_PATH)
    print("| run | seed | accuracy | mean length | took |\n| --- | --- | --- | --- | --- |")
    print(row("before", "", start, ""))
    for name, arguments in RUNS:
        results = []
        for seed in seeds:
            with tempfile.TemporaryDirectory() as folder:
                out = Path(folder) / "run"
                command = [sys.executable, "-m", "gpocli", "train", *arguments, "--seed", str(seed), "--out", str(out)]
                done = subprocess.run(command, capture_output=True, text=True, check=True, env=os.environ)
                summary = next(line for line in done.stdout.splitlines() if " steps in " in line)
                results.append(measured(out / "model"))
            took = summary.split(" steps in ")[1].split(": ")[0]
            print(row(name, str(seed), results[-1], took), flush=True)
        accuracy = statistics.mean(result.accuracy for result in results)
        length = statistics.mean(result.mean_length for result in results)
        print(f"| **{name}** | mean | **{accuracy:.2f}** | **{length:.1f}** | |", flush=True)


def measured(folder: Path) -> Measurement:
    """Accuracy and length on problems that no run trains on."""
    model, tokenizer = AutoModelForCausalLM.from_pretrained(folder), AutoTokenizer.from_pretrained(folder)
    return measure(model, tokenizer, PROBLEMS)


def row(name: str, seed: str, result: Measurement, took: str) -> str:
    return (
        f"| {name} | {seed} | {result.accuracy:.2f} ± {result.standard_error:.2f} | {result.mean_length:.1f} | {took} |"
    )


if __name__ == "__main__":
    main()
