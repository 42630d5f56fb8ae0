"""Trackers get what the run records: real packages, where they are installed, and real runs."""

import json
import sqlite3

import pytest

from tests.cli.conftest import COUNT_A, QUICK

pytestmark = pytest.mark.slow


@pytest.fixture
def track(folder):
    """`track(name, **environment)`: the folder after a run with that tracker, for which it is offline."""

    def run(tracker, **environment):
        pytest.importorskip(tracker)
        more = ("--set", f"run.trackers=[{tracker}]", "--set", "run.eval_every=2", "--set", "data.eval_limit=2")
        eval_source = ("--set", "data.eval_source=data.jsonl")
        done = folder.python_m_gpocli("train", "grpo", *QUICK, *COUNT_A, *more, *eval_source, **environment)
        assert done.code == 0, done.stderr
        return folder.path

    return run


def recorded(path, train="", evaluation=""):
    """The names of all numbers of steps and evaluations, each with the prefix of its kind; null is no number.

    Totals at the end are left out: some trackers show them as settings of the run.
    """
    names = set()
    for text in (path / "out/metrics.jsonl").read_text().splitlines():
        line = json.loads(text)
        for name, value in line.items() if line["kind"] != "end" else ():
            if name not in ("step", "kind", "time", "new_generation") and value is not None:
                is_of_evaluation = name.startswith("eval_")
                names.add(evaluation + name.removeprefix("eval_") if is_of_evaluation and evaluation else train + name)
    return names


def test_tensorboard(track):
    reader = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    path = track("tensorboard")
    (file,) = path.rglob("*tfevents*")
    events = reader.EventAccumulator(str(file))
    events.Reload()
    assert recorded(path, "train/", "eval/") <= set(events.Tags()["scalars"])


def test_mlflow(track, tmp_path):
    place = tmp_path / "mlruns"
    path = track("mlflow", MLFLOW_TRACKING_URI=place.as_uri(), MLFLOW_ALLOW_FILE_STORE="true")
    (folder,) = place.glob("*/*/metrics")
    found = {file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file()}
    assert recorded(path) <= found


def test_trackio(track, tmp_path):
    path = track("trackio", TRACKIO_DIR=str(tmp_path))
    (database,) = tmp_path.glob("*.db")
    with sqlite3.connect(database) as opened:
        rows = [json.loads(row[0]) for row in opened.execute("select metrics from metrics")]
    assert recorded(path, "train/", "eval/") <= {name for row in rows for name in row}


def test_wandb_offline(track):
    path = track("wandb", WANDB_MODE="offline", WANDB_SILENT="true")
    assert len(list((path / "wandb").glob("offline-run-*/*.wandb"))) == 1
