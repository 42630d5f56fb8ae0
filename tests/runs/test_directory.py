"""A run directory is taken once, never written over, and can be gone on with."""

import errno
import shutil
import subprocess
import sys
import time

import pytest

from gpocli.errors import EnvironmentFault, SpecError
from gpocli.runs.checkpoints import seal
from gpocli.runs.directory import RunDirectory, run_stem
from gpocli.runs.locks import is_locked


def refusal(act, *args):
    with pytest.raises(SpecError) as error:
        act(*args)
    return str(error.value)


def checkpoint(run, step, *, whole=True):
    folder = run.checkpoints_path / f"checkpoint-{step}"
    folder.mkdir()
    (folder / "trainer_state.json").write_text("{}")
    if whole:
        seal(folder, layout={}, sources={})
    return folder


@pytest.fixture
def used(tmp_path):
    """A run of three steps with a checkpoint at the second, whose process has ended."""
    run = RunDirectory.create(tmp_path / "used")
    run.write_spec("a: 1\n")
    for step in (1, 2, 3):
        run.append_metrics(step, "train", {"loss": 0.0})
        (run.candidates_path / f"step-{step:06d}.parquet").touch()
    checkpoint(run, 2)
    run.close()
    return run


def test_a_new_directory_has_its_parts(tmp_path):
    run = RunDirectory.create(tmp_path / "a run" / "größe")
    run.write_spec("ä: 1\n")
    assert sorted(entry.name for entry in run.path.iterdir()) == ["candidates", "checkpoints", "run.lock", "spec.yaml"]
    assert run.spec_path.read_text(encoding="utf-8") == "ä: 1\n"


def test_a_used_directory_is_refused_with_both_ways_out(used):
    assert refusal(RunDirectory.create, used.path) == (
        f"run directory '{used.path}' is already used; go on with that run with --resume, or name another with --out"
    )


def test_a_folder_with_other_files_is_refused_and_left_alone(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    assert refusal(RunDirectory.create, tmp_path) == (
        f"'{tmp_path}' holds files that are not a run's ('notes.txt'); name another with --out, or an earlier run "
        "with --resume"
    )
    assert [entry.name for entry in tmp_path.iterdir()] == ["notes.txt"]


def test_a_run_with_half_a_checkpoint_is_used(tmp_path):
    run = RunDirectory.create(tmp_path / "x")
    checkpoint(run, 1, whole=False)
    run.close()
    assert "is already used" in refusal(RunDirectory.create, run.path)


def test_an_empty_folder_and_a_link_to_one_are_taken(tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "empty")
    RunDirectory.create(tmp_path / "link")
    assert (tmp_path / "empty" / "checkpoints").is_dir()


def test_a_run_that_never_began_can_be_begun_again(tmp_path):
    first = RunDirectory.create(tmp_path / "x")
    first.write_spec("a: 1\n")
    assert refusal(RunDirectory.create, first.path) == (
        f"run directory '{first.path}' is in use by another process; name another with --out"
    )
    first.close()
    RunDirectory.create(first.path).write_spec("a: 2\n")
    assert first.spec_path.read_text() == "a: 2\n"


def test_files_and_broken_links_are_no_folders(tmp_path):
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    assert refusal(RunDirectory.create, tmp_path / "file") == (
        f"'{tmp_path}/file' is a file, not a folder; name another with --out"
    )
    assert refusal(RunDirectory.create, tmp_path / "link") == (
        f"'{tmp_path}/link' is a link that leads nowhere, not a folder; name another with --out"
    )
    assert refusal(RunDirectory.create, tmp_path / "file" / "x") == (
        f"cannot make the run directory '{tmp_path}/file/x' (Not a directory); name another with --out"
    )
    assert refusal(RunDirectory.create_named, tmp_path / "file", "x") == (
        f"'{tmp_path}/file' is a file, not a folder; name a run directory with --out"
    )


@pytest.mark.skipif(sys.platform != "linux", reason="/proc is a folder where nobody may write")
def test_a_folder_that_cannot_be_written_is_named():
    assert refusal(RunDirectory.create, "/proc/gpo").startswith("cannot make the run directory '/proc/gpo' (")


def test_of_many_processes_at_once_one_gets_it(tmp_path):
    code = (
        "import sys\n"
        "from gpocli.errors import SpecError\n"
        "from gpocli.runs.directory import RunDirectory\n"
        "try: run = RunDirectory.create(sys.argv[1])\n"
        "except SpecError: print('refused')\n"
        "else: print('got it'); sys.stdout.flush(); sys.stdin.read()\n"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "x")]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    running = [subprocess.Popen(command, **pipes) for _ in range(4)]
    said = [process.stdout.readline() for process in running]
    for process in running:
        process.communicate()
    assert sorted(said) == ["got it\n"] + ["refused\n"] * 3


def test_names_are_made_unique(tmp_path):
    made = [RunDirectory.create_named(tmp_path / "runs", "gfpo").path.name for _ in range(3)]
    assert made == ["gfpo", "gfpo-2", "gfpo-3"]


def test_a_stem_says_method_filters_and_time():
    now = time.struct_time((2026, 11, 30, 19, 30, 0, 0, 0, 0))
    assert run_stem("gfpo", "length", now=now) == "gfpo-length-20261130-193000"
    assert run_stem("GFPO", "./my file.py:Best", "", now=now) == "gfpo-my-file-py-best-20261130-193000"


def test_the_latest_whole_checkpoint_is_found_and_later_ones_are_told(used):
    whole = checkpoint(used, 10)
    checkpoint(used, 9)
    checkpoint(used, 11, whole=False)
    (checkpoint(used, 12) / "trainer_state.json").write_text('{"global_st')
    assert used.latest_checkpoint() == whole
    assert used.checkpoint_to_resume() == (
        whole,
        [
            "checkpoint-12 is damaged: trainer_state.json has 11 bytes, not 2; going on from checkpoint-10",
            "checkpoint-11 is damaged: manifest.json is missing; going on from checkpoint-10",
        ],
    )


def test_where_every_checkpoint_is_damaged_each_is_named(used):
    (used.checkpoints_path / "checkpoint-2" / "trainer_state.json").unlink()
    assert refusal(used.checkpoint_to_resume) == (
        f"'{used.path}' has no whole checkpoint to resume from (checkpoint-2 is damaged: trainer_state.json is "
        "missing); start anew with another --out"
    )


@pytest.mark.parametrize("left", ["nothing", "another run"])
def test_a_directory_that_goes_while_it_is_used_is_noticed(tmp_path, left):
    run = RunDirectory.create(tmp_path / "x")
    run.append_metrics(1, "train", {})
    shutil.rmtree(run.path)
    if left == "another run":
        RunDirectory.create(tmp_path / "x")
    for write in (lambda: run.append_metrics(2, "train", {}), lambda: run.append_candidates([])):
        with pytest.raises(EnvironmentFault) as error:
            write()
        assert str(error.value) == (f"run directory '{run.path}' was removed while the run was under way; start anew")


def test_a_disk_that_is_full_is_told(used, monkeypatch):
    def full(*paths):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    for act, file in ((lambda: used.write_spec("b: 1\n"), used.spec_path), (lambda: used.rewind(2), used.metrics_path)):
        with pytest.raises(EnvironmentFault) as error:
            act()
        assert str(error.value) == (
            f"cannot write '{file}' (No space left on device); mend that and go on with --resume"
        )
    assert used.spec_path.read_text() == "a: 1\n"


def test_a_resumed_run_repeats_no_step(used):
    run = RunDirectory.open_for_resume(used.path)
    run.rewind(2)
    run.append_metrics(3, "train", {})
    assert [line["step"] for line in run.read_metrics()] == [1, 2, 3]
    assert sorted(file.name for file in run.candidates_path.iterdir()) == ["step-000001.parquet", "step-000002.parquet"]


def test_what_cannot_be_resumed_is_named(tmp_path, used):
    (tmp_path / "empty").mkdir()
    fresh = RunDirectory.create(tmp_path / "fresh")
    assert refusal(RunDirectory.open_for_resume, "runs/none") == (
        "no run directory 'runs/none' to resume; check the path"
    )
    assert refusal(RunDirectory.open_for_resume, tmp_path / "empty") == (
        f"'{tmp_path}/empty' is no run directory (it has no spec.yaml); check the path"
    )
    assert refusal(fresh.checkpoint_to_resume) == (
        f"'{fresh.path}' has no whole checkpoint to resume from; start anew with another --out"
    )
    RunDirectory.open_for_resume(used.path)


def test_a_run_is_resumed_by_one_process_only(used):
    held = RunDirectory.open_for_resume(used.path)
    assert "is in use by another process" in refusal(RunDirectory.open_for_resume, used.path)
    held.close()
    RunDirectory.open_for_resume(used.path)


def test_a_killed_process_leaves_the_directory_free(tmp_path):
    code = (
        "import sys\n"
        "from gpocli.runs.directory import RunDirectory\n"
        "RunDirectory.create(sys.argv[1])\n"  # not kept: the claim is the process's
        "print('got it'); sys.stdout.flush(); sys.stdin.read()\n"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "x")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "got it\n"
        assert "is in use by another process" in refusal(RunDirectory.create, tmp_path / "x")
        process.kill()
    RunDirectory.create(tmp_path / "x")


def test_a_disk_without_locks_is_taken_to_be_free(tmp_path, monkeypatch):
    def no_locks(descriptor, *, blocking):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr("filelock.lock_descriptor", no_locks)
    assert RunDirectory.create(tmp_path / "x").checkpoints_path.is_dir()


# A run that took no step


def test_a_run_without_a_step_is_discarded_with_the_folder_that_was_made_for_it(tmp_path):
    run = RunDirectory.create(tmp_path / "runs" / "a")
    run.write_spec("run: {}\n")
    run.append_metrics(0, "eval", {"eval_loss": 1.0})
    run.discard()
    run.close()
    assert list((tmp_path / "runs").iterdir()) == []


def test_a_folder_that_was_there_before_is_emptied_and_stays(tmp_path):
    run = RunDirectory.create(tmp_path)
    run.discard()
    run.close()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("file", ["vllm.log", "checkpoints/checkpoint-1/model.safetensors"])
def test_what_holds_more_is_not_discarded(tmp_path, file):
    run = RunDirectory.create(tmp_path / "a")
    (run.path / file).parent.mkdir(exist_ok=True)
    (run.path / file).touch()
    run.discard()
    run.close()
    assert (run.path / file).exists()


def test_what_a_step_was_recorded_of_is_not_discarded(tmp_path):
    run = RunDirectory.create(tmp_path / "a")
    run.append_metrics(1, "train", {"loss": 1.0})
    run.discard()
    run.close()
    assert run.metrics_path.exists()


def test_a_claim_takes_a_run_as_it_is(tmp_path):
    claimed = RunDirectory.claim(tmp_path)  # it has not even a spec
    assert is_locked(tmp_path / "run.lock")
    claimed.close()
    assert not is_locked(tmp_path / "run.lock")
