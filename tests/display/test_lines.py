"""Plain progress: a line a step, no escape codes."""

import io
import math
import threading

import pytest
from rich.console import Console

from gpocli.display import pace
from gpocli.display.lines import PlainLines
from gpocli.runs.activity import Activity
from gpocli.runs.summary import summarize
from tests.display.test_run_view import candidate

LOGS = {
    "reward": 0.5,
    "candidates/reward": 0.4,
    "rewards/accuracy/mean": 0.75,
    "kept/mean_length": 20.0,
    "completions/mean_length": 30.0,
    "kept/share": 1 / 3,
    "lost/share": 0.5,
    "kept/right_length": 18.0,
    "kept/wrong_length": 22.0,
    "kept/advantage_length_correlation": -0.25,
    "frac_reward_zero_std": 0.25,
    "entropy": 0.3125,
    "kl": 0.002,
    "clip_ratio/region_mean": 0.015,
    "learning_rate": 3e-4,
    "loss": 0.01,
    "grad_norm": 0.4,
    "tokens_per_second": 5312.4,
}


@pytest.fixture
def clock(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(pace.time, "monotonic", lambda: now[0])
    return now


def console(**options):
    return Console(file=io.StringIO(), **options)


def written(progress):
    return progress.console.file.getvalue()


LEGEND = (
    "kept: chosen by the filter · all: every candidate · lost: stopped in a race · flat: groups of one reward · "
    "cut: did not end in time\n"
)


def test_a_run_in_plain_lines(clock):
    with PlainLines(console(width=40)) as progress:
        progress.start(10, "gfpo · length")
        for step in (1, 2):
            clock[0] += 30.0
            progress.step(step, {})
            progress.step(step, LOGS if step == 1 else {})
        progress.eval({"eval_reward": 0.5, "eval_rewards/accuracy/mean": 0.7, "eval_completions/mean_length": 12})
        progress.interrupted()
    assert written(progress) == (
        "gfpo · length: 10 steps\n"
        f"{LEGEND}"
        "step  1/10  kept 33%: reward 0.500  accuracy 0.750  length 20.0  all: reward 0.400  length 30.0  lost 50%  "
        "flat groups 25%  length of right 18.0  of wrong 22.0  pull -0.25  loss 0.0100  grad 0.4  entropy 0.312  "
        "kl 0.002  clipped 1.5%  lr 0.0003  5,312 tokens/s  left 4:30\n"
        "eval after step 2  reward 0.500  accuracy 0.700  length 12.0\n"
        "interrupted after step 2 of 10\n"
    )


def test_one_completion_stands_under_each_step(clock):
    progress = PlainLines(console())
    progress.start(2, "gfpo")
    progress.candidates([candidate(0, "kept", "a\nb\x1b[2J"), candidate(1, "rejected", "c" * 200, reward=None)])
    for step in (1, 2):
        progress.step(step, {"loss": 0.5})
    assert written(progress).splitlines()[2::2] == [
        "  kept, reward 1.000, advantage +0.50, 20 tokens: a⏎b\\x1b[2J",
        f"  rejected, 20 tokens: {'c' * 79} … {'c' * 78}",
    ]


def test_a_race_is_said_to_leave_a_lower_bound(clock):
    progress = PlainLines(console())
    progress.start(1, "gfpo")
    progress.step(1, {"reward": 0.5, "kept/share": 0.5, "kept/mean_length": 9, "completions/mean_length_at_least": 9.5})
    assert written(progress).splitlines()[2:] == [
        "step 1/1  kept 50%: reward 0.500  length 9.0  all: length at least 9.5  left 0:00"
    ]


def test_without_a_filter_there_is_one_population(clock):
    progress = PlainLines(console())
    progress.start(1, "grpo")
    progress.step(1, {"reward": 0.5, "completions/mean_length": 9, "frac_reward_zero_std": 0.5})
    assert written(progress).splitlines()[1:] == ["step 1/1  reward 0.500  length 9.0  flat groups 50%  left 0:00"]


def test_a_resumed_run_says_so(clock):
    progress = PlainLines(console())
    progress.start(6, "gmpo", 3)
    clock[0] += 10.0
    progress.step(4, {"loss": 0.0, "new_generation": False})
    assert written(progress) == (
        "gmpo: 6 steps, going on after step 3\nstep 4/6  no new generation  loss 0.0000  left 0:20\n"
    )


def test_what_is_not_told_has_no_place(clock):
    progress = PlainLines(console())
    progress.start(1, "grpo")
    progress.step(1, {"reward": None, "rewards/mine/mean": None, "loss": math.nan})
    assert written(progress).splitlines()[1] == "step 1/1  reward -  mine -  left 0:00"


def test_a_long_step_says_how_far_it_is():
    told, activity = threading.Event(), Activity()

    def how_far():
        told.set()
        return "3/8 ended"

    with activity.doing("generating", how_far), PlainLines(console(), quiet=0.001) as progress:
        progress.start(2, "grpo")
        progress.watch(activity)
        assert told.wait(30)
    assert written(progress).splitlines()[1] == "step 1/2: generating 3/8 ended"


def test_the_summary_ends_it():
    progress = PlainLines(console())
    progress.finish(summarize([]))
    progress.finish(None)
    assert len(written(progress).splitlines()) == 2


def test_markup_and_odd_characters_are_shown_as_they_are():
    progress = PlainLines(console(width=20))
    progress.note("[bold]x[/bold] :smile: " + "y" * 40 + "\ud83d")
    assert written(progress) == "[bold]x[/bold] :smile: " + "y" * 40 + "\\ud83d\n"


def test_what_the_encoding_lacks_is_written_out():
    file = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    PlainLines(Console(file=file)).note("a · b")
    file.flush()
    assert file.buffer.getvalue() == b"a \\xb7 b\n"
