"""A run and its vLLM server: one that it starts, and one that it loses."""

import re
import threading
import time
from pathlib import Path

import pytest

from gpocli.runs.directory import RunDirectory
from gpocli.spec import RunSpec
from gpocli.training.server import own_server
from tests.cli.conftest import COUNT_A, GFPO, checkpoints, folder, make_folder, metrics  # noqa: F401 (fixtures)
from tests.serving.stand_in import running


@pytest.mark.parametrize(
    ("vllm", "is_main"), [(None, True), ({"start": False}, True), ({"start": True}, False)], ids=str
)
def test_no_server_is_started_unless_the_main_process_is_asked_to(vllm, is_main, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", "")  # where vllm would be looked for
    spec = RunSpec.model_validate({"sampling": {"engine": "vllm", "vllm": vllm}})
    with own_server(spec, RunDirectory(tmp_path), print, is_main=is_main):
        assert not (tmp_path / "vllm.log").exists()


def flags(url):
    settings = ("engine=vllm", f"vllm.url={url}", "vllm.wait=0", "vllm.reconnect=0")
    return [part for setting in settings for part in ("--set", f"sampling.{setting}")]


def lose_in_step_3(stand_in):
    """Loses the server while it draws for the third step, after its third push."""
    while stand_in.asked.count("/finish_weight_update") < 3:
        time.sleep(0.01)
    stand_in.lose_after = stand_in.drawn + 40


@pytest.mark.slow
def test_a_run_that_loses_its_server_leaves_a_checkpoint_and_goes_on_from_it(folder, tiny_model):  # noqa: F811
    run = (*GFPO, *COUNT_A, "--set", "optim.schedule=constant")
    with running(tiny_model) as stand_in:
        stand_in.models = [{"id": "./model", "root": str(Path(tiny_model).resolve())}]
        assert folder.gpo(*run, *flags(stand_in.url), "--steps", 4, "--out", "straight").code == 0
        stand_in.asked.clear()
        threading.Thread(target=lose_in_step_3, args=(stand_in,), daemon=True).start()
        lost = folder.gpo(*run, *flags(stand_in.url), "--steps", 4)
        assert (lost.code, len(lost.stderr.splitlines())) == (5, 1)
        assert re.search(
            r"the vLLM server at \S+ .*; waited 0 s for it; start one with 'gpo serve', or name another one in "
            r"sampling.vllm.url; stopped at checkpoint-2; go on with: gpo train gfpo --resume --out out",
            lost.stderr,
        )
        assert checkpoints(folder.path / "out") == ["checkpoint-2"]
        stand_in.restart()
        assert folder.gpo("train", "gfpo", "--resume", "--out", "out").code == 0
    losses = [[line["loss"] for line in metrics(folder.path / out)] for out in ("straight", "out")]
    assert losses[0] == pytest.approx(losses[1], abs=1e-6)


@pytest.mark.slow
def test_another_model_is_told_before_torch_is_loaded(folder, tiny_model):  # noqa: F811
    with running() as stand_in:
        stand_in.models = [{"id": "other", "root": "/other"}]
        done = folder.gpo(*GFPO, *COUNT_A, *flags(stand_in.url))
    assert done.code == 5
    assert "serves 'other', and the run trains './model'" in done.stderr
    assert not (folder.path / "out").exists()
