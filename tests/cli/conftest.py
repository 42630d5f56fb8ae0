"""A user's folder with a tiny model, data and rewards in reach."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from gpocli.runs.checkpoints import damage
from tests.cli.command import Folder

MINE = """
import pathlib
import time


def count_a(completions, **columns):
    return [float(text.count("a")) for text in completions]


def odd_length(completion_ids, **columns):
    return [float(len(ids) % 2) for ids in completion_ids]


def held_in_step_2(completions, trainer_state, **columns):
    while trainer_state.global_step == 1 and not pathlib.Path("go").exists():
        time.sleep(0.01)
    return [float(text.count("a")) for text in completions]


def held_in_update_2(completions, trainer_state, **columns):
    from torch.optim.optimizer import register_optimizer_step_pre_hook

    def hold(*arguments):
        pathlib.Path("held").touch()
        while not pathlib.Path("go").exists():
            time.sleep(0.01)

    if trainer_state.global_step == 1:
        register_optimizer_step_pre_hook(hold)
    return [float(text.count("a")) for text in completions]


def killed_in_update_4(completions, trainer_state, **columns):
    import os
    import signal

    from torch.optim.optimizer import register_optimizer_step_pre_hook

    updates = []

    def kill(*arguments):
        updates.append(1)
        if len(updates) == 4 and not pathlib.Path("go").exists():
            os.kill(os.getpid(), signal.SIGKILL)

    if trainer_state.global_step == 0:
        register_optimizer_step_pre_hook(kill)
    return [float(text.count("a")) for text in completions]


def breaks_in_step_2(completions, trainer_state, **columns):
    if trainer_state.global_step == 1:
        raise ValueError("no such judge")
    return [0.0 for text in completions]


def nothing(completions, **columns):
    return [None for text in completions]


def number_of_prompt(prompts, **columns):
    return [float(prompt.split()[1]) for prompt in prompts]


def shortest(group_completions, group_rewards, completion_lengths):
    return [[-length for length in group] for group in completion_lengths]


def not_a_number(group_completions, group_rewards, **columns):
    return [[float("nan") for text in group] for group in group_completions]
"""

QUICK = (
    "--model", "./model", "--data", "data.jsonl", "-G", 4, "--prompts-per-step", 2,
    "--max-tokens", 16, "--lr", "0.01", "--steps", 2, "--out", "out",
)  # fmt: skip
"""Flags of a run of a second; later ones of the same name win."""
GFPO = ("train", "gfpo", *QUICK, "-k", 2)
COUNT_A = ("--reward", "./mine.py:count_a")


def json_lines(rows: list[dict]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def metrics(run: Path, kind: str = "train") -> list[dict]:
    """The lines of a run's metrics of one kind, read as strictly as JSON goes."""

    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is not JSON")

    text = (run / "metrics.jsonl").read_text(encoding="utf-8")
    lines = [json.loads(line, parse_constant=refuse) for line in text.splitlines()]
    return [line for line in lines if line["kind"] == kind]


def checkpoints(run: Path) -> list[str]:
    """The names of a run's checkpoints, all of which must be whole."""
    folders = sorted((run / "checkpoints").glob("checkpoint-*"))
    for folder in folders:
        assert damage(folder) is None
    return [folder.name for folder in folders]


@pytest.fixture(scope="session")
def make_folder(tmp_path_factory: pytest.TempPathFactory, tiny_model: str) -> Callable[[], Folder]:
    """`make_folder()`: a folder with `model`, `data.jsonl` (8 prompts with answers) and `mine.py`."""

    def make() -> Folder:
        path = tmp_path_factory.mktemp("user")
        folder = Folder(path / "work", path / "streams")
        (folder.path / "model").symlink_to(tiny_model)
        folder.write(
            data_jsonl=json_lines([{"prompt": f"say {i}", "answer": str(i)} for i in range(8)]),
            mine_py=MINE,
        )
        return folder

    return make


@pytest.fixture
def folder(make_folder: Callable[[], Folder]) -> Folder:
    """A fresh folder of `make_folder`."""
    return make_folder()


@pytest.fixture
def change_model(folder: Folder, tiny_model: str) -> Callable[..., Path]:
    """`change_model(file={key: value})`: a copy of the model in `./changed`, with values in its JSON files replaced."""

    def change(**files: dict) -> Path:
        copy = folder.path / "changed"
        shutil.copytree(tiny_model, copy)
        for name, values in files.items():
            file = copy / f"{name}.json"
            file.write_text(json.dumps(json.loads(file.read_text()) | values))
        return copy

    return change
