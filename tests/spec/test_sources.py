"""The layers of a run: the embedded default, a preset, files, variables, --set and flags."""

from pathlib import Path

import pytest

from gpocli.errors import SpecError
from gpocli.spec.layer import Assignment, Place
from gpocli.spec.sources import SpecSources, draft_run_spec, embedded_layer, load_run_spec


def steps(**sources):
    return load_run_spec(SpecSources(**sources)).spec.run.steps


def test_each_layer_wins_over_those_below(tmp_path):
    (tmp_path / "a.yaml").write_text("run: {steps: 11}\n")
    below = {"files": [Path(tmp_path / "a.yaml")]}
    assert steps() == embedded_layer().data["run"]["steps"]
    assert steps(**below) == 11
    below["environment"] = {"GPO__RUN__STEPS": "12"}
    assert steps(**below) == 12
    below["overrides"] = ["run.steps=13"]
    assert steps(**below) == 13
    below["flags"] = [Assignment("run.steps", 14, Place("--steps"))]
    assert steps(**below) == 14


def test_the_embedded_default_is_for_the_embedded_model_alone():
    other = load_run_spec(SpecSources(overrides=["model.name=owner/name"])).spec
    assert other.optim.learning_rate == 1e-6
    assert load_run_spec(SpecSources()).spec.optim.learning_rate != 1e-6


def test_a_preset_lies_below_files(tmp_path):
    (tmp_path / "a.yaml").write_text("algorithm: {beta: 0.5}\n")
    spec = load_run_spec(SpecSources(files=[tmp_path / "a.yaml"], preset="gmpo-7b")).spec
    assert (spec.algorithm.type, spec.algorithm.beta) == ("gmpo", 0.5)


def test_a_preset_of_another_algorithm_is_a_fault():
    with pytest.raises(SpecError) as caught:
        load_run_spec(SpecSources(preset="gmpo-7b", overrides=["algorithm.type=gfpo"]))
    assert str(caught.value) == ("--preset gmpo-7b: sets up gmpo, but gfpo is to train; see gpo presets list")


def test_an_unknown_preset_is_a_fault_of_the_draft():
    draft = draft_run_spec(SpecSources(preset="gmpo-7"))
    assert draft.spec is None
    assert "gmpo-7b" in str(draft.faults[0])
