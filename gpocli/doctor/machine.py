"""The machine: the devices that torch sees, with the types they compute in, and room for run directories."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gpocli.doctor.finding import Finding

_GIB = 2**30
TOO_LITTLE, LITTLE = 1, 20
"""GiB: under the first no run of a real model ends; under the second its checkpoints may not fit."""
_TORCH_SECONDS = 120
_PROBE = """
import json, torch
cuda = torch.cuda.is_available()
print(json.dumps({
    "cuda_build": torch.version.cuda or torch.version.hip,
    "mps": torch.backends.mps.is_available(),
    "threads": torch.get_num_threads(),
    "gpus": [
        {
            "name": torch.cuda.get_device_properties(i).name,
            "memory": torch.cuda.get_device_properties(i).total_memory,
            "bfloat16": torch.cuda.get_device_capability(i) >= (8, 0) or torch.version.hip is not None,
        }
        for i in range(torch.cuda.device_count() if cuda else 0)
    ],
}))
"""


def check_devices() -> Iterator[Finding]:
    """The devices for training. Takes the seconds that torch needs to load."""
    try:
        done = subprocess.run(
            [sys.executable, "-c", _PROBE], capture_output=True, text=True, timeout=_TORCH_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        cure = "look at the machine's driver with nvidia-smi, and free or restart what hangs"
        yield Finding("device", "problem", f"torch did not answer in {_TORCH_SECONDS} seconds", cure)
        return
    yield from devices_of(
        done.returncode, done.stdout, done.stderr, has_nvidia_tools=shutil.which("nvidia-smi") is not None
    )


def devices_of(code: int, output: str, errors: str, *, has_nvidia_tools: bool) -> Iterator[Finding]:
    """The findings of a probe that ended with exit `code`."""
    if code != 0:
        reason = (errors.strip().splitlines() or [f"exit code {code}"])[-1]
        yield Finding("device", "problem", f"torch cannot be loaded: {reason}", "install torch anew")
        return
    found: dict[str, Any] = json.loads(output.strip().splitlines()[-1])
    for number, gpu in enumerate(found["gpus"]):
        about = f"GPU {number}: {gpu['name']}, {gpu['memory'] / 2**30:.0f} GiB"
        if gpu["bfloat16"]:
            yield Finding("device", "ok", f"{about}, computes in bfloat16, float16 and float32")
        else:
            cure = "write model.dtype: float16, or float32"
            yield Finding("device", "warn", f"{about}, does not compute in bfloat16, which runs use by default", cure)
    if found["gpus"]:
        return
    if found["mps"]:
        yield Finding("device", "ok", "GPU of the processor (mps), computes in float32")
        return
    cpu = f"no GPU; the CPU, with {found['threads']} threads, computes in float32 and bfloat16"
    if has_nvidia_tools and found["cuda_build"] is None:
        cure = "install a build of torch for CUDA"
        yield Finding("device", "problem", f"{cpu}: nvidia-smi is there, but this torch is built for the CPU", cure)
    elif has_nvidia_tools:
        cure = "look at nvidia-smi and at CUDA_VISIBLE_DEVICES"
        yield Finding("device", "problem", f"{cpu}: nvidia-smi is there, but torch sees no GPU", cure)
    else:
        yield Finding("device", "warn", cpu, "train models of more than some millions of parameters on a GPU")


def check_disk(runs: Path = Path("runs")) -> Iterator[Finding]:
    """The folder that run directories go to, or would be made in."""
    folder = runs.absolute()
    while not folder.exists():
        folder = folder.parent
    if not folder.is_dir() or not os.access(folder, os.W_OK | os.X_OK):
        yield Finding(
            "disk", "problem", f"'{folder}' cannot be written", "go to another folder, or name one with --out"
        )
        return
    yield space_of(runs, shutil.disk_usage(folder).free / _GIB)


def space_of(runs: Path, free: float) -> Finding:
    """The finding about `free` GiB."""
    text = f"{free:.1f} GiB free for {runs}/"
    if free < TOO_LITTLE:
        return Finding("disk", "problem", text, "free some space, or name another disk with --out")
    if free < LITTLE:
        cure = "a checkpoint holds the weights three times over: free space, or lower run.keep_checkpoints"
        return Finding("disk", "warn", text, cure)
    return Finding("disk", "ok", text)
