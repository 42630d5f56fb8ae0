"""A disk that takes no more, and a run directory that goes while the run is under way: one line, exit code 5."""

import shutil
import subprocess
import sys

import pytest

from tests.cli.conftest import COUNT_A, GFPO, metrics
from tests.cli.test_signals import let_go

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits of another process are set with prlimit")

HELD = (*GFPO, "--reward", "./mine.py:held_in_step_2", "--steps", 3, "--set", "run.save_every=1")


def in_step_2(folder, out="out"):
    """A run that has saved a checkpoint after its first step and stays in the second."""
    running = folder.start(*HELD, "--out", out)
    running.wait_until((folder.path / out / "checkpoints" / "checkpoint-1" / "manifest.json").exists)
    return running


def goes_on(folder, out="out"):
    """Resume the run, whose checkpoint after step 1 is the last whole one."""
    assert [path.name for path in (folder.path / out / "checkpoints").glob("checkpoint-*")] == ["checkpoint-1"]
    done = folder.gpo("train", "gfpo", "--resume", "--out", out)
    assert (done.code, done.stderr) == (0, "")
    assert "gfpo 2/4 length on ./model: 3 steps, going on after step 1" in done.lines
    assert [line["step"] for line in metrics(folder.path / out)] == [1, 2, 3]


def test_a_limit_on_file_sizes_is_told_and_the_run_goes_on_from_before(folder):
    import resource

    running = in_step_2(folder)
    (optimizer,) = (folder.path / "out").glob("checkpoints/*/optimizer.pt")
    limit = optimizer.stat().st_size // 2
    resource.prlimit(running.pid, resource.RLIMIT_FSIZE, (limit, limit))
    let_go(folder)
    done = running.outcome()
    assert done.code == 5
    assert done.stderr == (
        "cannot save 'out/checkpoints/checkpoint-2' (the disk is full, or files may not be that large); mend that and "
        "go on with --resume\n"
    )
    goes_on(folder)


@pytest.fixture
def small_disk(folder):
    """`./disk`, which holds a megabyte."""
    disk = folder.path / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", str(disk)], capture_output=True).returncode:
        pytest.skip("mounting takes rights that this user lacks")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


def test_a_full_disk_is_told_and_the_run_goes_on_when_there_is_room(folder, small_disk):
    running = in_step_2(folder, "disk/out")
    filler = small_disk / "filler"
    filler.write_bytes(bytes(shutil.disk_usage(small_disk).free - 60_000))  # room for the candidates
    let_go(folder)
    done = running.outcome()
    assert done.code == 5
    assert done.stderr.startswith("cannot save 'disk/out/checkpoints/checkpoint-2' (")
    assert done.stderr.endswith("; mend that and go on with --resume\n")
    assert done.stderr.count("\n") == 1
    filler.unlink()
    goes_on(folder, "disk/out")


def test_a_run_directory_that_is_removed_under_way_ends_the_run(folder):
    running = in_step_2(folder)
    shutil.rmtree(folder.path / "out")
    let_go(folder)
    done = running.outcome()
    assert done.code == 5
    assert done.stderr == "run directory 'out' was removed while the run was under way; start anew\n"
    assert not (folder.path / "out").exists()


@pytest.mark.slow
def test_a_disk_without_room_for_a_checkpoint_is_told_before_the_first_step(folder, small_disk):
    (small_disk / "filler").write_bytes(bytes(shutil.disk_usage(small_disk).free - 60_000))
    done = folder.gpo(*GFPO, *COUNT_A, "--out", "disk/out")
    assert done.code == 5
    assert done.stderr.startswith("the disk of 'disk/out' has ")
    assert done.stderr.endswith("; free some, lower run.keep_checkpoints, or name another disk with --out\n")
    assert "0 steps" not in done.stdout
    assert not (small_disk / "out").exists()
