"""The preflight: every check has its say, and none speaks about what is faulty already."""

import subprocess
import sys

import pytest

from gpocli.checks import model as model_checks
from gpocli.checks import preflight
from gpocli.checks.preflight import check_run
from gpocli.errors import EnvironmentFault, PluginError, SpecError
from gpocli.spec.sources import SpecSources, draft_run_spec, load_run_spec


def test_a_sound_spec_is_ready_to_run():
    ready = check_run(load_run_spec(SpecSources(overrides=["run.eval_every=1", "data.eval_limit=5"])))
    assert [one.name for one in ready.group_filter.filters] == ["length"]
    assert [one.name for one in ready.rewards] == ["accuracy"]
    assert ready.eval_rows is not None
    assert (len(ready.rows), len(ready.eval_rows), ready.plan.kept_per_prompt, ready.notes) == (4096, 5, 8, [])


def test_the_type_is_gfpo_where_none_is_said(look):
    assert look("algorithm: {keep: 4}\n") == []
    assert load_run_spec(SpecSources(overrides=["algorithm.group_size=16"])).spec.algorithm.type == "gfpo"


def test_what_is_faulty_is_not_judged_by_its_default(look):
    """Misspelt data would be judged as the embedded task, misspelt rewards as accuracy."""
    rewards = "rewards: [{name: exact, options: {answer_column: gold}}]\n"
    assert look(f"data: {{sorce: rows.jsonl}}\n{rewards}") == [
        "run.yaml:1:8: data.sorce: unknown key; write data.source"
    ]
    assert look("rewards: [{nme: exact}]\nalgorithm: {type: gfpo, keep: x}\nbatch: {micro_batch: 7}\n") == [
        "run.yaml:1:11: rewards.0.name: is missing; write it, as text",
        "run.yaml:1:12: rewards.0.nme: unknown key; write rewards.0.name",
        "run.yaml:2:25: algorithm.keep: 'x' is text; write a whole number from 2 to 4096",
    ]


def test_a_fault_of_one_section_hides_none_of_another(look):
    text = "algorithm: {type: gfpo, filters: [lenght], zebra: 1}\nrun: {steps: 0}\ndata: {source: no.csv}\n"
    assert [line.split(": ")[1] for line in look(text)] == [
        "algorithm.zebra",
        "run.steps",
        "data.source",
    ]


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("rewards: [./broken.py:f]\n", PluginError),
        ("rewards: [./broken.py:f]\nrun: {steps: 0}\n", SpecError),
        ("model: {lora: {rank: 4}}\n", EnvironmentFault),
        ("model: {lora: {rank: 4}}\nrewards: [./broken.py:f]\n", PluginError),
    ],
)
def test_the_exit_code_is_that_of_a_fault_of_the_spec_if_there_is_one(tmp_path, monkeypatch, text, error):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(model_checks, "find_spec", lambda package: None)
    (tmp_path / "broken.py").write_text("1 / 0\n")
    (tmp_path / "run.yaml").write_text(text)
    with pytest.raises(error):
        check_run(draft_run_spec(SpecSources(["run.yaml"])))


def test_the_embedded_defaults_are_for_the_embedded_model_alone():
    assert load_run_spec(SpecSources()).spec.optim.learning_rate != 1e-6
    assert load_run_spec(SpecSources(overrides=["model.name=owner/name"])).spec.optim.learning_rate == 1e-6


def test_processes_come_from_the_launcher(monkeypatch):
    monkeypatch.setenv("WORLD_SIZE", "4")
    assert preflight.processes_of_this_run() == 4


def test_reading_a_spec_reads_no_data():
    code = (
        "import sys; from gpocli.spec.sources import *; load_run_spec(SpecSources());"
        "sys.exit('gpocli.data' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
