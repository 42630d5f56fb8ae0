"""What flat groups cost, and what each way to treat them gives for the time and the tokens that are paid.

`python -m benchmarks.flat_groups [NAME=MODEL ...]` trains each model for some steps with `train`, `skip` and `refill`,
in turn, with a learning rate that leaves the model as it is, and prints medians over the turns. Without a model it is
the embedded one. What stands after `--` goes to each run, such as `--data train.jsonl` for a model of another task.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

WAYS = ("train", "skip", "refill")


@dataclass(frozen=True, slots=True)
class Paid:
    """What a run got: groups with signal that were trained on, seconds of its steps, tokens sampled, share of flat."""

    groups: float
    seconds: float
    tokens: float
    flat: float


def main() -> None:
    own, _, more = " ".join(sys.argv[1:]).partition(" -- ")
    parser = argparse.ArgumentParser(prog="python -m benchmarks.flat_groups", description=__doc__)
    parser.add_argument("models", nargs="*", default=["embedded=embedded"], metavar="NAME=MODEL")
    parser.add_argument("--steps", type=int, default=6)
    parser.add_argument("--turns", type=int, default=3)
    told = parser.parse_args(own.split())
    print("| model | flat | way | groups with signal a second | of `train` | for 1,000 tokens | seconds a step |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for model in told.models:
        name, _, source = model.partition("=")
        for line in rows(name, source, told.steps, told.turns, more.split()):
            print(line, flush=True)


def rows(name: str, source: str, steps: int, turns: int, more: list[str]) -> list[str]:
    """The lines of the table about one model."""
    paid: dict[str, list[Paid]] = {way: [] for way in WAYS}
    for turn in range(turns):
        for way in WAYS:
            paid[way].append(run(source, way, steps, turn, more))
    rates = {way: statistics.median(one.groups / one.seconds for one in paid[way]) for way in WAYS}
    return [line(name, way, paid[way], rates[way], rates[way] / rates["train"], steps - 1) for way in WAYS]


def line(name: str, way: str, paid: list[Paid], rate: float, of_train: float, steps: int) -> str:
    """A line of the table."""
    flat = statistics.median(one.flat for one in paid)
    for_tokens = statistics.median(1000 * one.groups / one.tokens for one in paid)
    seconds = statistics.median(one.seconds for one in paid) / steps
    return f"| {name} | {flat:.0%} | `{way}` | {rate:.2f} | {of_train:.2f} | {for_tokens:.3f} | {seconds:.2f} |"


def run(model: str, way: str, steps: int, seed: int, more: list[str]) -> Paid:
    """Train for some steps, of which the first, which warms up, does not count."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "run"
        command = [sys.executable, "-m", "gpocli", "train", "grpo", "-G", "8", "--lr", "1e-12", "--seed", str(seed)]
        command += ["--model", model, "--steps", str(steps), "--flat-groups", way, "--set", "run.record_every=1000"]
        command += ["--out", str(out), *more]
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
        lines = [json.loads(line) for line in (out / "metrics.jsonl").read_text(encoding="utf-8").splitlines()]
    steps_done = [line for line in lines if line["kind"] == "train" and line["step"] > 1]
    groups = [round(line["groups/sampled"] * (1 - line["frac_reward_zero_std"])) for line in steps_done]
    return Paid(
        groups=sum(groups),
        seconds=sum(line["step_time"] for line in steps_done),
        tokens=sum(line["groups/sampled"] * 8 * line["completions/mean_length"] for line in steps_done),
        flat=statistics.mean(line["frac_reward_zero_std"] for line in steps_done),
    )


if __name__ == "__main__":
    main()
