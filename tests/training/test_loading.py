"""A loaded trainer is that of the spec, and what it tells reaches the run directory and the display."""

import io

import pytest
from rich.console import Console

from gpocli.checks.preflight import check_run
from gpocli.display.choice import open_progress
from gpocli.runs.directory import RunDirectory
from gpocli.spec.sources import SpecSources, load_run_spec
from gpocli.training.loading import connected, loaded
from gpocli.training.time_limit import TimeLimit

SMALL = (
    "batch.prompts_per_step=2", "algorithm.group_size=4", "algorithm.keep=2", "sampling.max_tokens=8",
    "data.source=a.jsonl", "rewards=[think_format]", "run.steps=1",
)  # fmt: skip


@pytest.fixture
def ready(tiny_model, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.jsonl").write_text("".join(f'{{"prompt": "say {i}"}}\n' for i in range(4)))
    return check_run(load_run_spec(SpecSources(overrides=[f"model.name={tiny_model}", *SMALL])))


def test_steps_candidates_and_notes_arrive(ready, tmp_path):
    directory, shown = RunDirectory.create(tmp_path / "run"), io.StringIO()
    with open_progress(Console(file=shown, width=200), "lines", main_process=True) as progress:
        trainer = loaded(ready, directory, progress)
        signals, watched = connected(trainer, ready, directory, progress, TimeLimit(None))
        assert {signals, watched} <= set(trainer.callback_handler.callbacks)
        trainer.on_note("a word")
        trainer.train()
        facts = trainer.card()
    directory.close()
    assert "a word" in shown.getvalue()
    assert [line["kind"] for line in directory.read_metrics()] == ["train", "end"]
    assert len(list(directory.candidates_path.iterdir())) == 1
    assert facts is not None
