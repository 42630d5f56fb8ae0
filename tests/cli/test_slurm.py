"""`gpo launch slurm`: what it writes from a spec and flags, and what it refuses."""

import shlex

import pytest

from tests.cli.in_process import User

SPEC = "algorithm: {type: gmpo}\nrun: {name: first}\n"


@pytest.fixture
def user(tmp_path, monkeypatch, capsys):
    user = User(tmp_path, monkeypatch, capsys)
    user.write("run.yaml", SPEC)
    return user


def test_a_file_is_written_with_the_spec_and_the_flags(user):
    done = user.gpo("launch", "slurm", "run.yaml", "--gpus", 8, "--nodes", 2, "--steps", 3, "--set", "optim.seed=1")
    assert done.code == 2  # a flag is checked as gpo train does
    done = user.gpo("launch", "slurm", "run.yaml", "--gpus", 8, "--nodes", 2, "--steps", 3, "--filter", "length")
    assert (done.code, done.err) == (0, "")
    assert done.out == "wrote first.sbatch; submit it with: sbatch first.sbatch\n"
    text = (user.folder / "first.sbatch").read_text()
    assert "#SBATCH --nodes=2\n#SBATCH --ntasks-per-node=8\n#SBATCH --gpus-per-node=8\n" in text
    words = """gmpo run.yaml --set 'algorithm.filters=["length"]' --set run.steps=3 --out "$run" --requeue"""
    assert f"arguments=({words})" in text
    assert 'arguments=(gmpo --resume --out "$run" --requeue)' in text


def test_the_words_make_the_same_spec(user):
    flags = ("--filter", "length", "--map", "prompt=question", "--lr", "1e-5", "--seed", 3)
    text = user.gpo("launch", "slurm", "run.yaml", "--gpus", 1, *flags, "--print").out
    line = next(line for line in text.splitlines() if line.startswith("arguments=(gmpo run.yaml"))
    words = shlex.split(line.removeprefix("arguments=(gmpo ").partition(" --out ")[0])
    shown = user.gpo("config", "show", *words)
    assert shown.code == 0
    assert shown.out == user.gpo("config", "show", "run.yaml", *flags).out


def test_a_server_that_the_run_starts_gets_a_node(user):
    server = ("--set", "sampling.engine=vllm", "--set", "sampling.vllm.start=true")
    text = user.gpo("launch", "slurm", "run.yaml", "--gpus", 8, *server, "--print").out
    assert "#SBATCH --nodes=2\n" in text
    assert "-m gpocli serve --algorithm gmpo run.yaml --set sampling.engine=vllm " in text


MISTAKES = {
    "no gpus": ((), "how many GPUs has a node? write --gpus 8, or --gpus 0 --processes 2 for CPUs alone\n"),
    "no limit": (
        ("--gpus", 8, "--time", "4h"),
        "--time '4h' is no limit of SLURM; write minutes, H:MM:SS or D-HH:MM:SS, as 4:00:00\n",
    ),
    "no option": (
        ("--gpus", 8, "--sbatch", "a100"),
        "--sbatch 'a100' is no option of sbatch; write it as --sbatch=--partition=a100\n",
    ),
    "no folder": (
        ("--gpus", 8, "--file", "none/job"),
        "cannot write 'none/job': No such file or directory; name another with --file\n",
    ),
    "a wrong value": (
        ("--gpus", 8, "--steps", 0),
        "--steps: run.steps: 0 is too small; write a whole number, at least 1, or null\n",
    ),
}


@pytest.mark.parametrize(("flags", "line"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_is_one_line(user, flags, line):
    done = user.gpo("launch", "slurm", "run.yaml", *flags)
    assert (done.code, done.out, done.err) == (2, "", line)


def test_options_stand_after_slurm(user):
    done = user.gpo("launch", "--processes", 2, "slurm", "run.yaml")
    assert done.code == 2
    assert done.err.startswith("gpo launch: Invalid value: options of slurm stand after it, as in: gpo launch slurm ")
