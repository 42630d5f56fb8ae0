"""The file for sbatch: what it says, that shellcheck passes it, and what a real SLURM makes of it."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from gpocli.launch.slurm import SlurmJob, job_name, run_directory, sbatch_text, wrong_lines
from gpocli.runs.records import read_candidates
from tests.cli.conftest import checkpoints, metrics
from tests.launch.slurm_here import slurm_of_two_nodes, wait_until, why_not

SERVER = ("--algorithm", "gfpo", "run.yaml")
SPEC = """
algorithm: {type: gfpo, group_size: 4, keep: 2, filters: [length]}
batch: {prompts_per_step: 2}
sampling: {max_tokens: 48}
run: {steps: 12}
"""


def job(**more):
    given = {
        "name": "run", "nodes": 2, "gpus": 8, "processes": 8, "time": "4:00:00", "python": "/opt/a b/python",
        "train": ["gfpo", "run.yaml", "--set", "run.name=it's"], "resume": ["gfpo"], "run_directory": "runs/run",
    }  # fmt: skip
    return SlurmJob(**(given | more))


def head(text):
    return [line.removeprefix("#SBATCH ") for line in text.splitlines() if line.startswith("#SBATCH")]


def test_the_head_asks_for_nodes_signal_and_queue():
    assert head(sbatch_text(job(more=["--partition=a100"]))) == [
        "--job-name=run",
        "--nodes=2",
        "--ntasks-per-node=8",
        "--gpus-per-node=8",
        "--time=4:00:00",
        "--output=run-%j.log",
        "--open-mode=append",
        "--requeue",
        "--signal=B:USR1@60",
        "--partition=a100",
    ]


def test_no_gpus_no_limit_and_a_longer_grace():
    lines = head(sbatch_text(job(gpus=0, processes=2, time=None, grace=300)))
    assert lines[:4] == ["--job-name=run", "--nodes=2", "--ntasks-per-node=2", "--output=run-%j.log"]
    assert "--signal=B:USR1@300" in lines


def test_a_server_has_one_node_more_and_training_keeps_off_it():
    text = sbatch_text(job(server=SERVER))
    assert "--nodes=3" in head(text)
    assert "srun --nodes=2 --ntasks=16 " in text
    assert '"$python" -m gpocli serve --algorithm gfpo run.yaml "${on_server[@]}"' in text
    assert 'place=(--exclude="$server_host")' in text
    assert "server" not in sbatch_text(job())


@pytest.mark.parametrize("server", [None, SERVER], ids=["alone", "with a server"])
def test_shellcheck_passes_it(server, tmp_path):
    if shutil.which("shellcheck") is None:
        pytest.skip("no shellcheck here; apt-get install shellcheck")
    (tmp_path / "job").write_text(sbatch_text(job(server=server)))
    done = subprocess.run(["shellcheck", tmp_path / "job"], capture_output=True, text=True)
    assert done.stdout == ""


def test_a_run_without_a_directory_gets_one_for_its_job():
    assert run_directory(None, "run") == 'runs/run-"$SLURM_JOB_ID"'
    assert run_directory("my runs/one", "run") == "'my runs/one'"


@pytest.mark.parametrize(
    ("name", "specs", "expected"),
    [("my run", [], "my-run"), (None, ["a/base.yaml", "b/top.yaml"], "top"), (None, [], "gfpo"), ("%", [], "gfpo")],
)
def test_the_name_needs_no_quotes(name, specs, expected):
    assert job_name(name, [Path(path) for path in specs], "gfpo") == expected


@pytest.mark.parametrize("time", ["90", "30:00", "4:00:00", "1-12", "1-12:00", "2-00:00:00", None])
def test_limits_of_slurm(time):
    assert wrong_lines(time, ["--partition=a100"]) is None


@pytest.mark.parametrize("time", ["4h", "4:0:0", "1-", ""])
def test_what_is_no_limit(time):
    assert wrong_lines(time, ()) == (
        f"--time '{time}' is no limit of SLURM; write minutes, H:MM:SS or D-HH:MM:SS, as 4:00:00"
    )


def test_a_line_that_sbatch_would_not_read():
    assert wrong_lines(None, ["partition=a100"]) == (
        "--sbatch 'partition=a100' is no option of sbatch; write it as --sbatch=--partition=a100"
    )


@pytest.fixture(scope="module")
def slurm(tmp_path_factory):
    if reason := why_not():
        pytest.skip(reason)
    with slurm_of_two_nodes(tmp_path_factory.mktemp("slurm")) as running:
        (running.folder / "run.yaml").write_text(SPEC)
        write = ["launch", "slurm", "run.yaml", "--nodes", "2", "--gpus", "0", "--processes", "1", "--time", "4:00:00"]
        subprocess.run([sys.executable, "-m", "gpocli", *write], cwd=running.folder, check=True, capture_output=True)
        yield running


def in_the_second_step(slurm, number):
    run = slurm.folder / "runs" / f"run-{number}"
    wait_until(lambda: (run / "metrics.jsonl").exists() and metrics(run))
    return run


@pytest.mark.slow
def test_a_job_that_is_told_usr1_goes_on_in_the_queue_and_ends_as_one_that_was_not(slurm):
    number = slurm.submit("run.sbatch")
    stopped = in_the_second_step(slurm, number)
    slurm("scancel", "--batch", "--signal=USR1", number)  # as --signal=B:USR1@60 does before the limit
    assert slurm.end_of(number) == "COMPLETED"
    log = (slurm.folder / f"run-{number}.log").read_text()
    assert slurm.about(number)["Restarts"] == "1", log
    assert log.count("go on with: gpo train gfpo --resume") == 1
    assert log.count("the job goes back into the queue") == 1
    assert f"saved: runs/run-{number}" in log
    straight = slurm.folder / "runs" / f"run-{(second := slurm.submit('run.sbatch'))}"
    assert slurm.end_of(second) == "COMPLETED"
    models = [(run / "model" / "model.safetensors").read_bytes() for run in (stopped, straight)]
    assert models[0] == models[1]
    assert read_candidates(stopped).to_pylist() == read_candidates(straight).to_pylist()


@pytest.mark.slow
def test_a_job_that_is_cancelled_saves_and_stays_ended(slurm):
    number = slurm.submit("run.sbatch")
    run = in_the_second_step(slurm, number)
    slurm("scancel", number)
    assert slurm.end_of(number) == "CANCELLED"
    assert len(checkpoints(run)) == 1
    assert "goes back into the queue" not in (slurm.folder / f"run-{number}.log").read_text()
