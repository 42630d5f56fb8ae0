"""A run from its spec to the final model, and what it leaves when it cannot begin."""

import json

import pytest

from gpocli.runs.directory import RunDirectory
from gpocli.spec.load import load_spec
from tests.cli.command import Folder

TRAIN = """
import json, sys
from rich.console import Console
from gpocli.errors import GpoError
from gpocli.spec.sources import SpecSources
from gpocli.training.run import train
try:
    outcome = train(SpecSources(overrides=sys.argv[1:]), resume=False, console=Console(stderr=True))
    print(json.dumps([str(outcome.path), outcome.summary.steps]))
except GpoError as error:
    print(json.dumps([type(error).__name__, str(error)]))
"""


def train(folder, *overrides):
    """Train in a process of its own, for a run changes what its libraries say."""
    done = folder.start_script("-c", TRAIN, *overrides).outcome()
    assert done.code == 0, done.stderr
    return json.loads(done.stdout), done.stderr


@pytest.fixture(scope="module")
def done(tmp_path_factory, tiny_model):
    """A run of one step in `out`: the folder, what came back, and what was shown."""
    path = tmp_path_factory.mktemp("run")
    folder = Folder(path / "work", path / "streams")
    folder.write(a_jsonl="".join(f'{{"prompt": "say {i}"}}\n' for i in range(4)))
    back, shown = train(
        folder, f"model.name={tiny_model}", "data.source=a.jsonl", "rewards=[think_format]", "run.steps=1",
        "algorithm.group_size=4", "algorithm.keep=2", "sampling.max_tokens=8", "batch.prompts_per_step=2",
        "run.dir=out",
    )  # fmt: skip
    return folder.path, back, shown


def test_a_run_leaves_its_directory_and_sums_up_its_steps(done):
    folder, back, _ = done
    assert back == ["out", 1]
    directory = RunDirectory(folder / "out")
    assert [(line["step"], line["kind"]) for line in directory.read_metrics()] == [(1, "train"), (1, "end")]
    assert (directory.model_path / "model.safetensors").is_file()


def test_the_spec_is_kept_with_the_directory_in_it(done):
    assert load_spec([done[0] / "out" / "spec.yaml"]).spec.run.dir == "out"


def test_what_runs_on_which_data_is_told(done):
    assert "gfpo 2/4 length on " in done[2]
    assert "data: a.jsonl, 4 prompts, sha256 " in done[2]


def test_a_spec_that_is_wrong_makes_no_directory(tmp_path):
    folder = Folder(tmp_path / "work", tmp_path / "streams")
    (error, text), _ = train(folder, "run.dir=out", "data.source=none.jsonl")
    assert error == "SpecError"
    assert "none.jsonl" in text
    assert list(folder.path.iterdir()) == []
