"""What a probe of torch says about devices, and the disk."""

import json

import pytest

from gpocli.doctor.finding import Finding
from gpocli.doctor.machine import check_devices, check_disk, devices_of, space_of

CPU = "no GPU; the CPU, with 2 threads, computes in float32 and bfloat16"


def found_of(*, tools=False, code=0, errors="", **probe):
    probe = {"cuda_build": None, "mps": False, "threads": 2, "gpus": [], **probe}
    return list(devices_of(code, f"noise\n{json.dumps(probe)}\n", errors, has_nvidia_tools=tools))


def gpu(**changes):
    return {"name": "NVIDIA X", "memory": 80 * 2**30, "bfloat16": True, **changes}


@pytest.mark.parametrize(
    ("probe", "finding"),
    [
        (
            {"gpus": [gpu()]},
            Finding("device", "ok", "GPU 0: NVIDIA X, 80 GiB, computes in bfloat16, float16 and float32"),
        ),
        (
            {"gpus": [gpu(bfloat16=False)]},
            Finding(
                "device",
                "warn",
                "GPU 0: NVIDIA X, 80 GiB, does not compute in bfloat16, which runs use by default",
                "write model.dtype: float16, or float32",
            ),
        ),
        ({"mps": True}, Finding("device", "ok", "GPU of the processor (mps), computes in float32")),
        ({}, Finding("device", "warn", CPU, "train models of more than some millions of parameters on a GPU")),
        (
            {"tools": True},
            Finding(
                "device",
                "problem",
                f"{CPU}: nvidia-smi is there, but this torch is built for the CPU",
                "install a build of torch for CUDA",
            ),
        ),
        (
            {"tools": True, "cuda_build": "13.0"},
            Finding(
                "device",
                "problem",
                f"{CPU}: nvidia-smi is there, but torch sees no GPU",
                "look at nvidia-smi and at CUDA_VISIBLE_DEVICES",
            ),
        ),
    ],
)
def test_devices(probe, finding):
    assert found_of(**probe) == [finding]


def test_a_torch_that_cannot_be_loaded_is_a_problem():
    found = found_of(code=1, errors="Traceback\nImportError: libcudart.so.12: no such file\n")
    assert found == [
        Finding(
            "device",
            "problem",
            "torch cannot be loaded: ImportError: libcudart.so.12: no such file",
            "install torch anew",
        )
    ]


def test_the_probe_runs_here():
    found = list(check_devices())
    assert found
    assert "cannot be loaded" not in found[0].text


@pytest.mark.parametrize(
    ("free", "state", "cure"),
    [
        (0.9, "problem", "free some space, or name another disk with --out"),
        (
            19.9,
            "warn",
            "a checkpoint holds the weights three times over: free space, or lower run.keep_checkpoints",
        ),
        (20.0, "ok", None),
    ],
)
def test_space(tmp_path, free, state, cure):
    assert space_of(tmp_path, free) == Finding("disk", state, f"{free} GiB free for {tmp_path}/", cure)


def test_a_folder_that_does_not_exist_yet_is_judged_by_the_one_above(tmp_path):
    assert [finding.topic for finding in check_disk(tmp_path / "deep" / "runs")] == ["disk"]


def test_a_file_in_the_way_is_a_problem(tmp_path):
    (tmp_path / "runs").write_text("")
    assert list(check_disk(tmp_path / "runs")) == [
        Finding(
            "disk",
            "problem",
            f"'{tmp_path / 'runs'}' cannot be written",
            "go to another folder, or name one with --out",
        )
    ]
