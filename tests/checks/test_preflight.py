"""The preflight: every check has its say, and none speaks about what is faulty already."""

import subprocess
import sys

import pytest

from gpocli.checks import data as data_checks
from gpocli.checks import model as model_checks
from gpocli.checks import preflight, trackers
from gpocli.checks.preflight import check_run, examine
from gpocli.errors import EnvironmentFault, PluginError, SpecError
from gpocli.spec.sources import SpecSources, draft_run_spec, load_run_spec


@pytest.fixture
def look(tmp_path, monkeypatch):
    """The lines of all faults of a spec text."""
    monkeypatch.chdir(tmp_path)

    def lines(text, *overrides, processes=1):
        (tmp_path / "run.yaml").write_text(text)
        return [str(fault) for fault in examine(draft_run_spec(SpecSources(["run.yaml"], overrides)), processes).faults]

    return lines


def test_a_sound_spec_is_ready_to_run():
    ready = check_run(load_run_spec(SpecSources(overrides=["run.eval_every=1", "data.eval_limit=5"])))
    assert [one.name for one in ready.filters] == ["length"]
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


def test_the_hub_is_not_asked_while_there_are_faults_to_mend(look, monkeypatch):
    asked = []

    def ask(data):
        asked.append(data.source)
        raise EnvironmentFault("the hub cannot be reached; name a file")

    monkeypatch.setattr(data_checks, "load_rows", ask)
    look("data: {source: owner/name}\nrun: {steps: 0}\n")
    assert asked == []
    assert look("data: {source: owner/name}\n") == ["run.yaml:1:8: data.source: the hub cannot be reached; name a file"]
    assert asked == ["owner/name"]


def test_every_missing_column_of_every_reward_is_told_for_both_sources(look, tmp_path):
    (tmp_path / "a.jsonl").write_text('{"prompt": "x"}\n' * 8)
    (tmp_path / "b.jsonl").write_text('{"prompt": "x", "answer": "1"}\n')
    text = (
        "data: {source: a.jsonl, eval_source: b.jsonl}\nrun: {eval_every: 1}\n"
        "rewards: [accuracy, {name: exact, options: {answer_column: text}}]\n"
    )
    assert [line.split("; ")[0] for line in look(text)] == [
        "a.jsonl: reward 'accuracy' needs a column 'answer'",
        "a.jsonl: reward 'exact' needs a column 'text'",
        "b.jsonl: reward 'exact' needs a column 'text'",
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


def test_packages_are_asked_for_by_extra(look, monkeypatch):
    monkeypatch.setattr(model_checks, "find_spec", lambda package: None)
    assert look("model: {lora: {rank: 4}, quantization: 4bit}\n") == [
        "run.yaml:1:16: model.lora: needs peft, which is not installed; pip install 'gpocli[peft]'",
        "run.yaml:1:26: model.quantization: needs bitsandbytes, which is not installed; "
        "pip install 'gpocli[quantization]'",
    ]


@pytest.mark.parametrize(
    ("tracker", "installed", "line"),
    [
        ("tensorboard", {"tensorboardX"}, None),
        ("tensorboard", set(), "tensorboard is not installed; pip install tensorboard, or remove it"),
        ("azure_ml", set(), "azureml-core is not installed; pip install azureml-core, or remove it"),
        ("dagshub", {"dagshub"}, "mlflow is not installed; pip install mlflow, or remove it"),
        ("trackio", {"trackio"}, None),
    ],
)
def test_trackers_need_their_packages(monkeypatch, tracker, installed, line):
    monkeypatch.setattr(trackers, "find_spec", lambda module: object() if module in installed else None)
    assert trackers.missing_package(tracker) == line


def test_trackers_with_keys_need_one(look, monkeypatch):
    monkeypatch.setattr(trackers, "find_spec", lambda module: object())
    monkeypatch.delenv("NEPTUNE_API_TOKEN", raising=False)
    assert look("run: {trackers: [neptune]}\n") == [
        "run.yaml:1:7: run.trackers.0: neptune has no key; set NEPTUNE_API_TOKEN, or remove it"
    ]
    monkeypatch.setenv("NEPTUNE_API_TOKEN", "x")
    assert look("run: {trackers: [neptune]}\n") == []


@pytest.mark.parametrize(
    ("trl", "processes", "cure"),
    [
        ("num_generations_eval: 4", 1, None),
        ("num_generations_eval: 3", 3, None),
        ("num_generations_eval: 5", 2, "trl.num_generations_eval: an evaluation batch of 64 x 2 processes = 128"),
        ("num_generations_eval: 2, per_device_eval_batch_size: 3", 1, "write trl.per_device_eval_batch_size: 2 or 4"),
        ("num_generations_eval: 8, per_device_eval_batch_size: 4", 1, "write trl.per_device_eval_batch_size: 8"),
    ],
)
def test_evaluation_batches_hold_whole_groups(look, trl, processes, cure):
    lines = look(f"run: {{eval_every: 1}}\nbatch: {{prompts_per_step: 6}}\ntrl: {{{trl}}}\n", processes=processes)
    assert len(lines) == (cure is not None)
    assert cure is None or cure in lines[0]


def test_without_evaluation_its_batches_do_not_matter(look):
    assert look("trl: {num_generations_eval: 3}\n") == []


def test_a_broken_plugin_under_the_strict_switch_is_told_with_the_rest(look, monkeypatch):
    def strict():
        raise PluginError("plugin 'a' (a 1.0) is broken: ImportError: no b\nplugin 'c' is broken: it has no hook")

    monkeypatch.setattr("gpocli.checks.extensions.load_plugins", strict)
    assert look("run: {steps: 0}\n") == [
        "run.yaml:1:7: run.steps: 0 is too small; write a whole number, at least 1, or null",
        "plugin 'a' (a 1.0) is broken: ImportError: no b",
        "plugin 'c' is broken: it has no hook",
    ]


def test_the_embedded_defaults_are_for_the_embedded_model_alone():
    assert load_run_spec(SpecSources()).spec.optim.learning_rate != 1e-6
    assert load_run_spec(SpecSources(overrides=["model.name=owner/name"])).spec.optim.learning_rate == 1e-6


def test_a_run_directory_below_a_file_is_told(look, tmp_path):
    (tmp_path / "a").write_text("")
    assert look("run: {name: x}\n") == []
    (tmp_path / "runs").write_text("")
    assert look("run: {name: x}\n") == ["run.yaml:1:7: run.name: 'runs' is a file; name a folder"]


def test_processes_come_from_the_launcher(monkeypatch):
    monkeypatch.setenv("WORLD_SIZE", "4")
    assert preflight.processes_of_this_run() == 4


def test_reading_a_spec_reads_no_data():
    code = (
        "import sys; from gpocli.spec.sources import *; load_run_spec(SpecSources());"
        "sys.exit('gpocli.data' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
