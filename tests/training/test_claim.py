"""Which directory a run gets."""

import json
import re

import pytest

from gpocli.checks.preflight import check_run
from gpocli.errors import SpecError
from gpocli.runs.checkpoints import seal
from gpocli.spec.sources import SpecSources, load_run_spec
from gpocli.training.claim import claim_directory, with_directory
from gpocli.training.company import Company


@pytest.fixture
def claim(tmp_path, monkeypatch):
    """Claim the directory of a run with these settings, in a folder of its own."""
    monkeypatch.chdir(tmp_path)

    def claim(*overrides, resume=False):
        ready = check_run(load_run_spec(SpecSources(overrides=overrides)))
        return claim_directory(ready, resume=resume, company=Company())

    return claim


def test_a_directory_that_is_named_is_made(claim):
    assert str(claim("run.dir=out", "run.name=x").directory.path) == "out"


def test_a_run_with_a_name_goes_below_runs(claim):
    assert str(claim("run.name=mine").directory.path) == "runs/mine"


def test_a_run_without_a_name_has_its_method_and_the_time(claim):
    assert re.fullmatch(r"runs/gfpo-length-\d{8}-\d{6}", str(claim().directory.path))


def test_a_directory_that_is_used_is_refused(claim, tmp_path):
    claim("run.dir=out").directory.close()
    (tmp_path / "out" / "metrics.jsonl").write_text("{}\n")
    with pytest.raises(SpecError, match="run directory 'out' is already used"):
        claim("run.dir=out")


@pytest.fixture
def stopped(claim, tmp_path):
    """`out`, left by a run of one process with checkpoints after steps 2 and 3."""
    directory = claim("run.dir=out").directory
    directory.write_spec("")
    for step in (2, 3):
        save(directory, step)
    directory.close()
    return directory


def save(directory, step, *, processes=1, sources=(), state=None):
    checkpoint = directory.checkpoints_path / f"checkpoint-{step}"
    checkpoint.mkdir()
    (checkpoint / "trainer_state.json").write_text(json.dumps(state or {}))
    seal(checkpoint, layout={"processes": processes}, sources=dict(sources))


def refusal(claim, *overrides):
    with pytest.raises(SpecError) as caught:
        claim("run.dir=out", *overrides, resume=True)
    return str(caught.value)


def test_a_stopped_run_is_opened_at_its_last_checkpoint(claim, stopped):
    found = claim("run.dir=out", "run.steps=5", resume=True)
    assert (found.directory.path, found.checkpoint.name, found.remarks) == (stopped.path, "checkpoint-3", [])


def test_a_run_that_was_stopped_before_its_first_step_begins_again(claim):
    directory = claim("run.dir=out").directory
    directory.write_spec("")
    directory.append_metrics(0, "eval", {"eval_reward": 1.0})
    directory.close()
    found = claim("run.dir=out", resume=True)
    assert (found.checkpoint, list(found.remarks)) == (None, ["nothing was done yet: beginning with the first step"])
    assert found.directory.read_metrics() == []


def test_a_run_that_was_killed_before_its_first_checkpoint_begins_again(claim):
    directory = claim("run.dir=out").directory
    directory.write_spec("")
    for step in (1, 2):
        directory.append_metrics(step, "train", {})
    (directory.checkpoints_path / "checkpoint-2").mkdir()  # killed while it was written
    directory.close()
    found = claim("run.dir=out", "run.save_every=2", resume=True)
    told = ["no checkpoint was there yet: beginning with the first step"]
    assert (found.checkpoint, list(found.remarks), found.directory.read_metrics()) == (None, told, [])


@pytest.mark.parametrize("left", ["more steps", "model"])
def test_a_run_whose_checkpoints_were_removed_keeps_what_it_recorded(claim, left):
    directory = claim("run.dir=out").directory
    directory.write_spec("")
    directory.append_metrics(3, "train", {})
    if left == "model":
        directory.model_path.mkdir()
    directory.close()
    text = "'out' has no whole checkpoint to resume from; start anew with another --out"
    assert refusal(claim, *(["run.save_every=2"] if left == "more steps" else [])) == text
    assert len(directory.read_metrics()) == 1


def test_a_hole_in_the_metrics_is_told(claim, stopped):
    logged = [{"step": 1, "loss": 1.0, "reward": 1.0}, {"step": 2, "loss": 1.0}]
    save(stopped, 4, state={"log_history": logged})
    told = "metrics.jsonl lacks lines of 2 steps between 1 and 2: they are put back from checkpoint-4"
    found = claim("run.dir=out", "run.steps=5", resume=True)
    assert found.remarks == [told]
    found.directory.rewind_to(found.checkpoint)
    assert found.directory.hole_up_to(found.checkpoint) is None
    assert [(line["step"], line["time"], line.get("new_generation")) for line in found.directory.read_metrics()] == [
        (1, None, None),
        (2, None, False),
    ]


def test_a_damaged_checkpoint_is_passed_over_and_told(claim, stopped):
    (stopped.checkpoints_path / "checkpoint-3" / "trainer_state.json").unlink()
    found = claim("run.dir=out", "run.steps=5", resume=True)
    assert found.checkpoint.name == "checkpoint-2"
    assert found.remarks == ["checkpoint-3 is damaged: trainer_state.json is missing; going on from checkpoint-2"]


def test_a_run_that_is_done_is_not_opened(claim, stopped):
    stopped.model_path.mkdir()
    (stopped.model_path / "training_args.bin").write_bytes(b"")
    assert refusal(claim, "run.steps=3") == "'out' has done 3 steps, and 3 are asked for; write --steps 6 to go on"
    assert claim("run.dir=out", "run.steps=4", resume=True).checkpoint.name == "checkpoint-3"


def test_another_number_of_processes_is_refused(claim, stopped):
    save(stopped, 4, processes=2)
    assert refusal(claim) == (
        "'out/checkpoints/checkpoint-4' was saved with 2 processes and cannot go on with 1 process; resume with what "
        "it was, or start anew from its weights with 'out/checkpoints/checkpoint-4' as the model"
    )


def test_code_and_data_that_changed_are_refused_by_name(claim, stopped, tmp_path):
    (tmp_path / "mine.py").write_text("def mine(completions, **columns):\n    return [0.0 for _ in completions]\n")
    (tmp_path / "a.jsonl").write_text('{"prompt": "say 1"}\n' * 8)
    settings = ["run.dir=out", "data.source=a.jsonl", "rewards=[./mine.py:mine]", "batch.prompts_per_step=2"]
    ready = check_run(load_run_spec(SpecSources(overrides=settings)))
    save(stopped, 4, sources=ready.sources)
    claim(*settings, resume=True).directory.close()
    (tmp_path / "mine.py").write_text("# mended\n" + (tmp_path / "mine.py").read_text())
    assert refusal(claim, *settings) == (
        "out was started with other files, so it cannot go on with these: reward './mine.py:mine'; put back what was "
        "there, or start anew with another --out"
    )
    (tmp_path / "a.jsonl").write_text('{"prompt": "say 2"}\n' * 8)
    assert "these: reward './mine.py:mine', data 'a.jsonl'; put back" in refusal(claim, *settings)


def test_a_directory_that_is_refused_is_free_again(claim, stopped):
    save(stopped, 4, processes=2)
    for _ in range(2):
        assert "was saved with 2 processes" in refusal(claim)


def test_the_spec_that_is_kept_names_the_directory(claim):
    directory = claim("run.name=mine").directory
    spec = load_run_spec(SpecSources()).spec
    assert with_directory(spec, directory).run.dir == "runs/mine"
