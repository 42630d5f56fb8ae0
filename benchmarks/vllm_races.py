"""`make bench-vllm`: races on vLLM, on the CPU, and gpo's own loop beside it; writes benchmarks/vllm.md."""

import json
import os
import statistics
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.environments import ROOT
from benchmarks.figures import EMBEDDED_LIMIT, EMBEDDED_TEXTS, Job, step
from benchmarks.models import save_mid_size
from gpocli.embedded import MODEL_PATH

PYTHON = ROOT / ".venvs" / "vllm" / "bin" / "python"
ENVIRONMENT = {
    "VLLM_ENABLE_V1_MULTIPROCESSING": "0",
    "VLLM_CPU_KVCACHE_SPACE": "2",
    "VLLM_CPU_OMP_THREADS_BIND": "nobind",
    "VLLM_LOGGING_LEVEL": "ERROR",
    "VLLM_NO_USAGE_STATS": "1",
    "OMP_NUM_THREADS": "2",
    "HF_HUB_OFFLINE": "1",
}
TEXTS = {
    "embedded": [EMBEDDED_TEXTS[i % len(EMBEDDED_TEXTS)].replace("=?", f"{i}=?") for i in range(8)],
    "mid": [" ".join(f"w{(7 * i + j) % 500}" for j in range(12)) for i in range(4)],
}
SIZES = [(4, 16), (8, 24), (4, 24)]
TURNS = 3

_HEAD = """# Races on vLLM

Written by `make bench-vllm`: vLLM {vllm} in the training process, on two cores of a CPU, in 32-bit floats; the embedded
model, 8 prompts, limit 256. Jobs run in turn, with the same prompts, settings and seeds; medians of {turns}.

## Sampling alone

Tokens are all that the engine made, those of lost candidates included.

| kept of sampled | tokens, full | tokens, race | share | engine steps | seconds | the same kept |
| --- | --- | --- | --- | --- | --- | --- |
"""


def run(worker: str, task: dict[str, Any], models: dict[str, str]) -> dict[str, Any]:
    """What the worker printed, in the environment with vLLM."""
    task = task | {"texts": TEXTS[task["model"]], "model": models[task["model"]], "threads": 2}
    command = [str(PYTHON), "-W", "ignore", str(ROOT / "benchmarks" / f"{worker}.py"), json.dumps(task)]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | ENVIRONMENT)
    if done.returncode:
        raise SystemExit(f"{worker} failed: {done.stderr[-3000:]}")
    answer: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return answer


def seconds_in_turn(jobs: list[Job], models: dict[str, str]) -> list[float]:
    """The median seconds of a step of each job: A B A B."""
    told: list[list[float]] = [[] for _ in jobs]
    for turn in range(TURNS):
        for job, seconds in zip(jobs, told, strict=True):
            seconds.append(run(job.worker, job.task | {"seed": turn}, models)["median"])
    return [statistics.median(seconds) for seconds in told]


def main() -> None:
    """Measure and write the page."""
    version = subprocess.run(
        [str(PYTHON), "-c", "import importlib.metadata as m; print(m.version('vllm-cpu'))"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    with tempfile.TemporaryDirectory() as folder:
        save_mid_size(Path(folder))
        models = {"embedded": str(MODEL_PATH), "mid": folder}
        text = _HEAD.format(vllm=version, turns=TURNS)
        task = {"model": "embedded", "limit": EMBEDDED_LIMIT, "sizes": SIZES, "turns": TURNS}
        text += "".join(map(_row, run("vllm_worker", task, models)["sizes"]))
        text += "\n## Whole steps\n\n| step | seconds | step | seconds | ratio | must reach |\n" + "| --- " * 6 + "|\n"
        for names, jobs, bound in pairs():
            first, second = seconds_in_turn(jobs, models)
            text += f"| {names[0]} | {first:.2f} | {names[1]} | {second:.2f} | {first / second:.2f} | {bound} |\n"
    (ROOT / "benchmarks" / "vllm.md").write_text(text)
    print(text)


def pairs() -> list[tuple[tuple[str, str], list[Job], str]]:
    """Steps that are compared: names, jobs, and the bound of first over second."""

    def of(algorithm: str, model: str, *, vllm: bool = True, **task: Any) -> Job:
        return step("gpo", algorithm, model, prompts=len(TEXTS[model]), vllm=vllm, **task)

    gfpo_4_16 = {"group_size": 16, "keep": 4}
    mid = {"steps": 2, "warmup": 1, **gfpo_4_16}
    return [
        (
            ("GFPO 8/24 on vLLM, embedded", "GRPO 8/8 on vLLM, embedded"),
            [of("gfpo", "embedded", group_size=24, keep=8), of("grpo", "embedded", group_size=8, keep=8)],
            "at most 1.0",
        ),
        (
            ("GFPO 4/16 on vLLM with a race, embedded", "the same without a race"),
            [of("gfpo", "embedded", **gfpo_4_16), of("gfpo", "embedded", race=False, **gfpo_4_16)],
            "",
        ),
        (
            ("GFPO 4/16 on gpo's loop, mid-size", "GFPO 4/16 on vLLM, mid-size"),
            [of("gfpo", "mid", vllm=False, **mid), of("gfpo", "mid", **mid)],
            "",
        ),
    ]


def _row(row: dict[str, Any]) -> str:
    full, race = row["full"], row["race"]
    return (
        f"| {row['keep']}/{row['group_size']} | {full['tokens']:,.0f} | {race['tokens']:,.0f} "
        f"| {race['tokens'] / full['tokens']:.2f} | {full['engine_steps']:.0f} → {race['engine_steps']:.0f} "
        f"| {full['seconds']:.2f} → {race['seconds']:.2f} | {'yes' if row['same_kept'] else '**no**'} |\n"
    )


if __name__ == "__main__":
    main()
