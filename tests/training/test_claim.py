"""Which directory a run gets."""

import re

import pytest

from gpocli.checks.preflight import check_run
from gpocli.errors import SpecError
from gpocli.spec.sources import SpecSources, load_run_spec
from gpocli.training.claim import claim_directory, with_directory


@pytest.fixture
def claim(tmp_path, monkeypatch):
    """Claim the directory of a run with these settings, in a folder of its own."""
    monkeypatch.chdir(tmp_path)

    def directory(*overrides, resume=False):
        ready = check_run(load_run_spec(SpecSources(overrides=overrides)))
        return claim_directory(ready, resume=resume, rank=0, processes=1)

    return directory


def test_a_directory_that_is_named_is_made(claim):
    assert str(claim("run.dir=out", "run.name=x").path) == "out"


def test_a_run_with_a_name_goes_below_runs(claim):
    assert str(claim("run.name=mine").path) == "runs/mine"


def test_a_run_without_a_name_has_its_method_and_the_time(claim):
    assert re.fullmatch(r"runs/gfpo-length-\d{8}-\d{6}", str(claim().path))


def test_a_directory_that_is_used_is_refused(claim, tmp_path):
    claim("run.dir=out").close()
    (tmp_path / "out" / "metrics.jsonl").write_text("{}\n")
    with pytest.raises(SpecError, match="run directory 'out' is already used"):
        claim("run.dir=out")


@pytest.fixture
def stopped(claim, tmp_path):
    """`out`, left by a run that has saved a checkpoint after step 3."""
    directory = claim("run.dir=out")
    directory.write_spec("")
    checkpoint = directory.checkpoints_path / "checkpoint-3"
    checkpoint.mkdir()
    (checkpoint / "trainer_state.json").write_text("{}")
    directory.close()
    return directory


def test_a_stopped_run_is_opened(claim, stopped):
    assert claim("run.dir=out", "run.steps=5", resume=True).path == stopped.path


def test_a_run_that_is_done_is_not_opened(claim, stopped):
    stopped.model_path.mkdir()
    (stopped.model_path / "training_args.bin").write_bytes(b"")
    with pytest.raises(SpecError) as caught:
        claim("run.dir=out", "run.steps=3", resume=True)
    assert str(caught.value) == "'out' has done 3 steps, and 3 are asked for; write --steps 6 to go on"
    assert claim("run.dir=out", "run.steps=4", resume=True).path == stopped.path


def test_the_spec_that_is_kept_names_the_directory(claim):
    directory = claim("run.name=mine")
    spec = load_run_spec(SpecSources()).spec
    assert with_directory(spec, directory).run.dir == "runs/mine"
