"""A resumed run is the same run, but for its length and what it saves and shows."""

import pytest

from gpocli.errors import SpecError
from gpocli.spec.dump import dump_spec
from gpocli.spec.layer import Assignment, Place
from gpocli.spec.sources import SpecSources, load_run_spec
from gpocli.training.resume import on_top_of, refuse_changes, stored_spec

OUT = Assignment("run.dir", "out", Place("--out"))


@pytest.fixture
def stored(tmp_path, monkeypatch):
    """The spec that a run in `out` was begun with."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "out").mkdir()
    path = tmp_path / "out" / "spec.yaml"
    path.write_text(dump_spec(load_run_spec(SpecSources(overrides=["run.dir=out", "run.steps=5"])).spec))
    return path


def test_the_spec_is_that_of_the_directory(stored):
    assert stored_spec(SpecSources(flags=[OUT])).resolve() == stored


def test_a_resumed_run_needs_its_directory():
    with pytest.raises(SpecError, match="--resume needs the run directory to go on with; write --out runs/<name>"):
        stored_spec(SpecSources())


def test_a_directory_without_a_spec_is_no_run(tmp_path):
    with pytest.raises(SpecError, match="is no run directory"):
        stored_spec(SpecSources(flags=[Assignment("run.dir", str(tmp_path), Place("--out"))]))


def test_what_is_said_anew_lies_on_top(stored):
    spec = load_run_spec(on_top_of(stored, SpecSources(overrides=["run.steps=9"]))).spec
    assert (spec.run.steps, spec.run.dir) == (9, "out")


@pytest.mark.parametrize("change", ["run.steps=9", "run.save_every=2", "run.log_every=3", "run.trackers=[wandb]"])
def test_length_saving_and_showing_may_change(stored, change):
    refuse_changes(stored, load_run_spec(on_top_of(stored, SpecSources(overrides=[change]))).spec)


def test_nothing_else_may(stored):
    changes = SpecSources(overrides=["optim.learning_rate=0.5", "run.seed=4"])
    with pytest.raises(SpecError) as caught:
        refuse_changes(stored, load_run_spec(on_top_of(stored, changes)).spec)
    text = str(caught.value)
    assert "optim.learning_rate was " in text
    assert ", is 0.5; " in text
    assert "run.seed was 0, is 4; leave these as they were" in text


def test_a_vllm_server_may_be_elsewhere_but_not_another_way_of_weights(stored):
    server = ["sampling.engine=vllm", "sampling.vllm.url=http://node1:8000"]
    stored.write_text(dump_spec(load_run_spec(SpecSources(overrides=["run.dir=out", *server])).spec))
    moved = ["sampling.vllm.url=http://node2:8000", "sampling.vllm.folder=/shared"]
    refuse_changes(stored, load_run_spec(on_top_of(stored, SpecSources(overrides=moved))).spec)
    other = SpecSources(overrides=[*moved, "sampling.vllm.sync=nccl"])
    with pytest.raises(SpecError, match=r"another spec.*: sampling\.vllm\.sync was 'plugin', is 'nccl';"):
        refuse_changes(stored, load_run_spec(on_top_of(stored, other)).spec)


def test_another_algorithm_is_told_as_that_alone(stored):
    other = SpecSources(flags=[Assignment("algorithm.type", "gmpo", Place("gpo train gmpo"))])
    with pytest.raises(SpecError) as caught:
        on_top_of(stored, other)
    assert str(caught.value) == (
        f"{stored.parent} was started with gfpo, so it cannot go on with gmpo; write gpo train gfpo --resume --out "
        f"{stored.parent}"
    )
