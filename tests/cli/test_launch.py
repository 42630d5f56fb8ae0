"""`gpo launch`: what it starts, and what it refuses before anything starts."""

import signal

import pytest

from gpocli.runs.records import read_candidates
from tests.cli.conftest import COUNT_A, GFPO, checkpoints
from tests.cli.in_process import User
from tests.cli.test_signals import HELD

LIKE = "as in: gpo launch --processes 4 -- train gfpo run.yaml; see gpo launch -h\n"
MISTAKES = {
    "no number": (("--", "train", "gfpo"), f"gpo launch: Invalid value: how many processes? write --processes, {LIKE}"),
    "none": (
        ("--processes", 0, "--", "train", "gfpo"),
        "gpo launch: Invalid value for '--processes': Input should be greater than or equal to 1; see gpo launch -h\n",
    ),
    "no training": (
        ("--processes", 2, "--", "check", "run.yaml"),
        f"gpo launch: Invalid value: 'check' is no training; write gpo train's words after --, {LIKE}",
    ),
    "nothing": (("--processes", 2), "gpo launch: Missing command; see gpo launch -h\n"),
    "no algorithm": (
        ("--processes", 2, "--", "train", "gfp"),
        "gpo train: No such command 'gfp'. Did you mean 'gfpo'?; see gpo train -h\n",
    ),
    "a flag that train has not": (
        ("--processes", 2, "--", "train", "gfpo", "--num-generations", 4),
        "gpo train gfpo: No such option: --num-generations; write --group-size\n",
    ),
    "hosts that cannot meet": (
        ("--processes", 2, "--hosts", 2, "--", "train", "gfpo"),
        "gpo launch: Invalid value: 2 hosts need a place to meet; write --endpoint HOST:PORT, one of them and a free "
        "port of it; see gpo launch -h\n",
    ),
    "no port": (
        ("--processes", 2, "--hosts", 2, "--endpoint", "node1", "--", "train", "gfpo"),
        "gpo launch: Invalid value: --endpoint 'node1' is not HOST:PORT, as in node1:29500; see gpo launch -h\n",
    ),
    "a place for one host": (
        ("--processes", 2, "--endpoint", "node1:29500", "--", "train", "gfpo"),
        "gpo launch: Invalid value: --endpoint is for several hosts; write --hosts N as well, or leave it out; "
        "see gpo launch -h\n",
    ),
}


@pytest.fixture
def user(tmp_path, monkeypatch, capsys):
    return User(tmp_path, monkeypatch, capsys)


@pytest.mark.parametrize(("words", "line"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_is_one_line(user, words, line):
    done = user.gpo("launch", *words)
    assert (done.code, done.out, done.err) == (2, "", line)


def test_the_command_is_printed_alone(user):
    done = user.gpo("launch", "--processes", 4, "--print", "--", "train", "gfpo", "run.yaml", "--steps", 3)
    assert (done.code, done.err, done.out.count("\n")) == (0, "", 1)
    assert " -m torch.distributed.run --nproc-per-node 4 --standalone " in done.out
    assert done.out.endswith(" -m gpocli train gfpo run.yaml --steps 3\n")


def test_several_hosts_share_a_place_and_a_name(user):
    meet = ("--hosts", 2, "--endpoint", "node1:29500")
    done = user.gpo("launch", "--processes", 8, *meet, "--print", "--", "train", "gfpo")
    assert " --nnodes 2 --rdzv-backend c10d --rdzv-endpoint node1:29500 --rdzv-id gpo " in done.out


@pytest.mark.slow
def test_two_processes_train(folder):
    done = folder.gpo("launch", "--processes", 2, "--", *GFPO, *COUNT_A)
    assert done.code == 0, done.stderr
    assert done.lines[-1] == "saved: out"
    assert len(read_candidates(folder.path / "out")) == 2 * 2 * 4  # steps, prompts, candidates


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGUSR1, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_to_torchrun_leaves_a_checkpoint_and_no_process(folder, number):
    running = folder.start("launch", "--processes", 2, "--", *HELD)
    running.wait_until((folder.path / "out" / "metrics.jsonl").exists)
    running.send(number)
    done = running.outcome()
    assert done.code != 0  # torchrun's own
    assert "stopped at checkpoint-1; go on with: gpo train gfpo --resume --out out\n" in done.stderr
    assert checkpoints(folder.path / "out") == ["checkpoint-1"]
