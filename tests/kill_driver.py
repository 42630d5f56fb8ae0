"""Kills runs at random moments and lets them go on: `python -m tests.kill_driver --kills 100 --processes 2`.

Whatever is killed, every file of the run can be read, `--resume` goes on, and in the end weights, metrics (but times)
and records are those of a run that was never stopped.
"""

import argparse
import json
import random
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from gpocli.runs.checkpoints import is_sealed, latest_whole
from gpocli.runs.manifest import read_manifest
from gpocli.runs.records import read_candidates
from tests.cli.command import Folder, Running, environments
from tests.cli.conftest import COUNT_A, GFPO, MINE, json_lines
from tests.conftest import save_tiny_model

STEPS = 8
# Two updates, each twice, on a generation batch, so that checkpoints stand in the middle of some.
RUN = (
    *GFPO, *COUNT_A, "--steps", STEPS, "--set", "run.save_every=2", "--set", "batch.updates_per_generation=2",
    "--set", "batch.iterations=2", "--set", "run.eval_every=3", "--set", "data.eval_source=data.jsonl",
    "--set", "data.eval_limit=2",
)  # fmt: skip
TIMES = ("time/", "step_time", "tokens_per_second", "runtime", "per_second")
GIVEN_UP = 200
"""Attempts after which a run that is killed again and again would never come to its end."""


@dataclass
class Tally:
    """What was done so far; `moments` says where in its course a run was when it was killed."""

    kills: int = 0
    runs: int = 0
    moments: Counter[str] = field(default_factory=Counter)


class Driver:
    """Kills runs of a number of processes in `folder`, as `chance` has it."""

    def __init__(self, folder: Folder, processes: int, chance: random.Random) -> None:
        self.folder, self.processes, self.chance, self.tally = folder, processes, chance, Tally()
        for name in ("warm", "straight"):  # the first one waits for imports
            began = time.monotonic()
            assert [one.outcome().code for one in self._start(name, resume=False)] == [0] * processes
            self.seconds = time.monotonic() - began
        self.straight = left_by(folder.path / "straight")

    def kill(self, times: int) -> None:
        """Kill runs until so many kills are done, and see that each run ends as if nothing had happened."""
        while self.tally.kills < times:
            self.tally.runs += 1
            name = f"run-{self.tally.runs}"
            for _ in range(GIVEN_UP):
                if self._is_done(name, may_kill=self.tally.kills < times):
                    break
            else:
                raise AssertionError(f"{name} never came to its end")
            assert left_by(self.folder.path / name) == self.straight, f"{name} ended otherwise"

    def _is_done(self, name: str, *, may_kill: bool) -> bool:
        """Make an attempt at a run; whether it came to its end."""
        run = self.folder.path / name
        running = self._start(name, resume=(run / "spec.yaml").exists())
        if may_kill and self._killed(running, run):
            for one in running:
                one.outcome()
            self.tally.kills += 1
            self.tally.moments[moment_of(run)] += 1
            require_readable(run)
            return False
        outcomes = [one.outcome() for one in running]
        if f"'{name}' has done {STEPS} steps" in "".join(one.stderr for one in outcomes):
            return True  # killed when all was written
        assert [one.code for one in outcomes] == [0] * self.processes, outcomes
        return True

    def _start(self, name: str, *, resume: bool) -> list[Running]:
        command = ("train", "gfpo", "--resume", "--out", name) if resume else (*RUN, "--out", name)
        places: Sequence[dict[str, str]] = environments(self.processes) if self.processes > 1 else [{}]
        return [self.folder.start(*command, **place) for place in places]

    def _killed(self, running: list[Running], run: Path) -> bool:
        """Kill all processes at some moment, one after the other; False when the run was at its end before."""
        wanted = self._moment(run)
        while not wanted():
            if any(one.exit_code() is not None for one in running):
                return False
            time.sleep(0.001)
        self.chance.shuffle(running)
        for one in running:
            if one.exit_code() is None:
                one.send(signal.SIGKILL)
        return True

    def _moment(self, run: Path) -> Callable[[], bool]:
        """When to kill: at a time, or while a checkpoint or the model is written."""
        end = time.monotonic() + self.chance.uniform(0, self.seconds)
        if self.chance.random() < 0.7:
            return lambda: time.monotonic() > end
        delay = self.chance.uniform(0, 0.05)

        def is_saving() -> bool:
            if moment_of(run) not in ("saving a checkpoint", "saving the model") or time.monotonic() < end / 2:
                return False
            time.sleep(delay)
            return True

        return is_saving


def moment_of(run: Path) -> str:
    """What a run was at, as far as its files tell."""
    if not (run / "spec.yaml").exists():
        return "before its directory"
    folders = list((run / "checkpoints").glob("checkpoint-*"))
    if not all(map(is_sealed, folders)):
        return "saving a checkpoint"
    if (run / "model").exists():
        return "saving the model"
    return "stepping" if (run / "metrics.jsonl").exists() else "loading"


def require_readable(run: Path) -> None:
    """Every file that a killed run has left can be read; of the metrics the last line may be cut."""
    if not run.exists():
        return
    if (run / "run.json").exists():
        assert read_manifest(run / "run.json")["attempts"], "run.json"
    if (run / "metrics.jsonl").exists():
        for line in (run / "metrics.jsonl").read_bytes().split(b"\n")[:-1]:
            json.loads(line)
    if list((run / "candidates").glob("*.parquet")):
        read_candidates(run)
    # of those that are damaged, the later ones were being written, and earlier ones removed
    _, later = latest_whole(run / "checkpoints")
    assert not any(is_sealed(run / "checkpoints" / name) for name in later), later


def left_by(run: Path) -> dict[str, Any]:
    """What a run at its end has left, but for times: weights, metrics and records."""
    lines = [json.loads(line) for line in (run / "metrics.jsonl").read_bytes().splitlines()]
    return {
        "weights": (run / "model" / "model.safetensors").read_bytes(),
        "metrics": [untimed(line) for line in lines],
        "records": read_candidates(run).to_pylist(),
        "files": sorted(path.name for path in (run / "candidates").iterdir()),
        "checkpoints": sorted(path.name for path in (run / "checkpoints").iterdir()),
    }


def untimed(line: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in line.items() if name != "time" and not any(one in name for one in TIMES)}


def folder_in(place: Path) -> Folder:
    """A user's folder with a tiny model, data and rewards."""
    folder = Folder(place / "work", place / "streams")
    save_tiny_model(folder.path / "model")
    folder.write(data_jsonl=json_lines([{"prompt": f"say {i}", "answer": str(i)} for i in range(8)]), mine_py=MINE)
    return folder


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    with TemporaryDirectory() as place:
        driver = Driver(folder_in(Path(place)), given.processes, random.Random(given.seed))
        driver.kill(given.kills)
    moments = ", ".join(f"{count} {moment}" for moment, count in driver.tally.moments.most_common())
    told = (
        f"{driver.tally.kills} kills of {driver.tally.runs} runs of {given.processes} processes, all equal in the end"
    )
    sys.stdout.write(f"{told}; {moments}\n")


if __name__ == "__main__":
    main()
