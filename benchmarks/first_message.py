"""Seconds to the first message about a mistake: `trl grpo` beside `gpo train gfpo`, each told the same wrong thing."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.environments import ROOT

# name, what TRL is told, what gpo is told; {model}, {data} and {out} are filled in.
_TRL = (
    "trl grpo --model_name_or_path {model} --dataset_name {data} --output_dir {out} "
    "--reward_funcs accuracy_reward --use_cpu true --max_completion_length 256"
)
_GPO = "gpo train gfpo --model {model} --data {data}/rows.jsonl --out {out} --max-tokens 256"
MISTAKES = [
    ("misspelt option", _TRL + " --learing_rate 1e-6", _GPO + " --set optim.learing_rate=1e-6"),
    ("value of another type", _TRL + " --max_steps ten", _GPO + " --steps ten"),
    (
        "value outside its set",
        _TRL + " --loss_type dpao",
        _GPO.replace("gfpo", "grpo") + " --set algorithm.loss_type=dpao",
    ),
    ("batch that does not divide", _TRL + " --num_generations 5", _GPO + " --set batch.micro_batch=5"),
    ("unknown reward", _TRL.replace("accuracy_reward", "acuracy"), _GPO + " --reward acuracy"),
    ("model folder missing", _TRL.replace("{model}", "./no/model"), _GPO.replace("{model}", "./no/model")),
    ("data file missing", _TRL.replace("{data}", "./no_data"), _GPO.replace("{data}/rows.jsonl", "./no_data.jsonl")),
    ("no prompt column", _TRL.replace("{data}", "{unnamed}"), _GPO.replace("{data}", "{unnamed}")),
    ("too few prompts", _TRL.replace("{data}", "{few}"), _GPO.replace("{data}", "{few}")),
    ("unknown schedule", _TRL + " --lr_scheduler_type cosin", _GPO + " --set optim.schedule=cosin"),
]
_LIMIT, _TURNS = 90, 3


def first_messages() -> list[dict[str, Any]]:
    """One row a mistake: seconds and exit code of both, the median of turns, and the last line that each wrote."""
    from gpocli.embedded import MODEL_PATH

    with tempfile.TemporaryDirectory() as folder:
        places = {"model": str(MODEL_PATH), **_write_data(Path(folder))}
        rows = []
        for number, (name, trl, gpo) in enumerate(MISTAKES):
            out = Path(folder) / f"out{number}"
            theirs, ours = [], []
            for _ in range(_TURNS):
                theirs.append(_timed(trl.format(out=out, **places), folder))
                ours.append(_timed(gpo.format(out=out, **places), folder))
            theirs, ours = _median(theirs), _median(ours)
            rows.append({"mistake": name, "trl": theirs, "gpo": ours})
            print(f"{name}: trl {theirs['seconds']:.1f} s, gpo {ours['seconds']:.2f} s", flush=True)
    return rows


def _median(runs: list[dict[str, Any]]) -> dict[str, Any]:
    return sorted(runs, key=lambda run: run["seconds"])[len(runs) // 2]


def _write_data(folder: Path) -> dict[str, str]:
    rows = {
        "data": ['{"prompt": "1+1=?", "answer": "2"}'] * 64,
        "unnamed": ['{"question": "1+1=?", "answer": "2"}'] * 64,
        "few": ['{"prompt": "1+1=?", "answer": "2"}'],
    }
    for name, lines in rows.items():
        (folder / name).mkdir()
        (folder / name / "rows.jsonl").write_text("\n".join(lines) + "\n")
    return {name: str(folder / name) for name in rows}


def _timed(command: str, folder: str) -> dict[str, Any]:
    script, *arguments = command.split()
    installed = Path(sys.executable).with_name(script)
    environment = os.environ | {"HF_HUB_OFFLINE": "1", "HF_HUB_DISABLE_TELEMETRY": "1"}
    started = time.perf_counter()
    try:
        done = subprocess.run(
            [str(installed), *arguments],
            capture_output=True,
            text=True,
            cwd=folder,
            env=environment,
            timeout=_LIMIT,
        )
        code, error = done.returncode, done.stderr
    except subprocess.TimeoutExpired as stopped:
        code, error = None, (stopped.stderr or b"").decode()
    lines = [line for line in error.strip().splitlines() if line.strip()]
    return {
        "seconds": time.perf_counter() - started,
        "exit_code": code,
        "lines": len(lines),
        "last_line": lines[-1].replace(folder, "").replace(f"{ROOT}/", "")[:200] if lines else "",
    }
