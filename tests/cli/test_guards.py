"""`gpo guards` without a model, and runs that a guard stops, as a user sees them."""

import json

import pytest

from gpocli.plugin_manager import load_plugins
from tests.cli.conftest import GFPO, checkpoints
from tests.cli.in_process import User
from tests.cli.test_signals import start_two

GUARDS = load_plugins(entry_points=False).guards
SAME = """
def same(completions):
    return [0.5 for _ in completions]
"""
DYING = (*GFPO, "--reward", "./mine.py:same", "--steps", 6, "--set", "guards.no_signal.window=3")


@pytest.fixture
def user(tmp_path, monkeypatch, capsys):
    return User(tmp_path, monkeypatch, capsys)


def test_list_has_a_line_for_each(user):
    said = user.gpo("guards", "list")
    assert (said.code, said.err) == (0, "")
    assert [line.split()[0] for line in said.out.splitlines()] == ["name", *GUARDS]
    assert [one["name"] for one in json.loads(user.gpo("guards", "list", "--json").out)] == list(GUARDS)


def test_show_tells_action_and_options(user):
    assert user.gpo("guards", "show", "kl_explosion").out.splitlines()[2:] == [
        "action: stop_and_restore",
        "options:",
        "  window: a whole number at least 1; default 5",
        "    Steps in a row for which it is so.",
        "  bound: a number above 0; default 10.0",
        "    The largest divergence from the reference model, in nats a token.",
    ]
    assert user.gpo("guards", "show", "length").err == "'length' is a filter, not a guard; name it as a filter\n"


def test_the_metrics_of_a_run_are_shown_to_one(user):
    user.write("out/spec.yaml", "algorithm: {type: grpo}\n")
    lines = [{"step": step, "kind": "train", "entropy": 0.01 if step > 2 else 0.5} for step in range(1, 6)]
    user.write("out/metrics.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
    option = ("--option", "bound=0.1", "--option", "window=2")
    assert user.gpo("guards", "test", "entropy_collapse", "--run", "out", *option).out.splitlines() == [
        "guard 'entropy_collapse' at step 4: entropy is 0.01, below 0.1 nats a token, in 2 steps in a row; lower "
        "optim.learning_rate, or raise algorithm.entropy_coef or the upper clip range",
        "2 of 5 steps with an alarm",
    ]
    assert user.gpo("guards", "test", "no_signal", "--run", "out").out == "no alarm in 5 steps\n"


def test_the_plan_shows_what_watches(user):
    off = ("--set", "guards.no_signal=off", "--set", "guards.kl_explosion=warn", "--steps", 1)
    (line,) = [line for line in user.gpo("plan", *off).out.splitlines() if line.startswith("- guards: ")]
    assert line.endswith(
        "kl_explosion, entropy_collapse, length_explosion, wordier, constant_reward (warn); off: no_signal"
    )
    guards = json.loads(user.gpo("plan", *off, "--json").out)["guards"]
    assert guards == {name: one.extension.action for name, one in GUARDS.items() if name != "no_signal"} | {
        "kl_explosion": "warn"
    }


@pytest.mark.slow
def test_a_run_that_dies_is_no_success_and_can_go_on_all_the_same(folder):
    folder.write(mine_py=SAME)
    done = folder.gpo(*DYING)
    again = "gpo train gfpo --resume --out out --set guards.no_signal=off"
    assert (done.code, done.stderr.splitlines()[-1]) == (
        4,
        "guard 'no_signal' at step 3: every group was flat, 0% all wrong and 100% all right, so every advantage was "
        "0, in 3 steps in a row; the reward is 0.5 on average: use prompts that are neither too easy nor too hard, or "
        f"a reward that tells completions apart; stopped at checkpoint-3; to go on all the same: {again}",
    )
    assert checkpoints(folder.path / "out") == ["checkpoint-3"]
    assert not (folder.path / "out" / "model").exists()
    assert folder.gpo(*again.split()[1:]).code == 0
    assert (folder.path / "out" / "model" / "model.safetensors").is_file()


@pytest.mark.slow
def test_two_processes_stop_alike(folder):
    folder.write(mine_py=SAME)
    done = [running.outcome() for running in start_two(folder, *DYING)]
    assert [one.code for one in done] == [4, 4]
    assert sorted(one.stderr.count("guard 'no_signal'") for one in done) == [0, 1]
    assert checkpoints(folder.path / "out") == ["checkpoint-3"]
