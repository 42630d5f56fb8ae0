"""The picture of a run: whole lines at any width and height, readable without colour."""

import io
import math
import re
from pathlib import Path

import pytest
from rich.console import Console

from gpocli.display import pace
from gpocli.display.pace import Pace
from gpocli.display.run_view import WORTH as WORTH_OF_ROWS
from gpocli.display.run_view import RunView
from gpocli.runs.records import CandidateRecord

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
    "completions/clipped_ratio": 0.0,
    "entropy": 0.3125,
    "kl": 0.002,
    "clip_ratio/region_mean": 0.015,
    "learning_rate": 3e-4,
    "loss": 0.01,
    "grad_norm": 0.4,
    "tokens_per_second": 5312.4,
    "time/generate": 6.0,
    "time/reward": 1.0,
    "time/filter": 1.0,
    "time/update": 2.0,
}
EVAL = {"eval_reward": 0.5, "eval_rewards/accuracy/mean": 0.7, "eval_completions/mean_length": 12}


def candidate(number, outcome, completion="so 5+5=10\nthe answer is 10", **changed):
    values = {
        "step": 2, "prompt_id": 1, "group": 0, "candidate": number, "prompt": "5+5=", "completion": completion,
        "tokens": [], "length": 20, "finished": True, "rewards": {}, "reward": 1.0, "filter_score": None,
        "kept": outcome == "kept", "outcome": outcome, "advantage": 0.5 if outcome == "kept" else None,
    }  # fmt: skip
    return CandidateRecord(**{**values, **changed})


@pytest.fixture
def clock(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(pace.time, "monotonic", lambda: now[0])
    return now


def step(view, step, logs):
    view.pace.tick(step)
    view.add(logs)


@pytest.fixture
def view(clock):
    view = RunView("gfpo · length · 8 of 24", Pace(8))
    view.add_candidates([candidate(0, "kept"), candidate(1, "rejected", "ten")])
    for number in (1, 2):
        clock[0] += 30.0
        step(view, number, {**LOGS, "reward": number / 2, "kept/mean_length": 30 - number})
    return view


def picture(view, width, **options):
    console = Console(file=io.StringIO(), width=width, **options)
    console.print(view)
    return console.file.getvalue()


def test_eighty_columns(view):
    view.add_eval(EVAL)
    with view.activity.doing("generating", lambda: "120/192 ended"):
        shown = picture(view, 80)
    assert shown == (
        "gfpo · length · 8 of 24                                                     1:00\n"
        "step 2/8 ━━━━━━━━━━━━━━─────────────────────────────────────────  25%  3:00 left\n"
        "generating 120/192 ended\n"
        "          kept     all\n"
        "reward    1.000    0.400               ▁█\n"
        "accuracy  0.750                        ▄▄\n"
        "length    28.0     30.0                █▁\n"
        "length of right 18.0   of wrong 22.0   pull -0.25\n"
        "kept 33%   lost 50%   flat groups 25%   cut 0%\n"
        "entropy 0.312   kl 0.002   clipped 1.5%   lr 0.0003   loss 0.0100   grad 0.4\n"
        "tokens/s 5,312   s/step 30.00\n"
        "time      ██████████████████████████████████████████▓▓▓▓▓▓▓▒▒▒▒▒▒▒░░░░░░░░░░░░░░\n"
        "          █ generate 60%  ▓ reward 10%  ▒ filter 10%  ░ update 20%\n"
        "eval after step 2   reward 0.500   length 12.0   accuracy 0.700\n"
        "sample    kept  reward 1.000  advantage +0.50  20 tokens\n"
        "  5+5=\n"
        "  so 5+5=10⏎the answer is 10\n"
        "kept: chosen by the filter · all: every candidate · lost: stopped in a race ·\n"
        "flat: groups of one reward · cut: did not end in time\n"
    )


def test_the_page_shows_a_picture_and_the_rows_in_the_order_of_their_worth(view):
    page = (Path(__file__).parents[2] / "docs" / "running.md").read_text(encoding="utf-8")
    view.add_eval(EVAL)
    with view.activity.doing("generating", lambda: "120/192 ended, at token 311"):
        assert f"```text\n{picture(view, 80)}```" in page
    rows = page.split("| row | what it shows |")[1].split("\n\n")[0]
    assert tuple(re.findall(r"^\| (\w+) \|", rows, flags=re.MULTILINE)) == WORTH_OF_ROWS


def test_forty_columns(view):
    view.add_eval(EVAL)
    assert picture(view, 40) == (
        "gfpo · length · 8 of 24             1:00\n"
        "step 2/8 ━━━━───────────  25%  3:00 left\n"
        "          kept\n"
        "reward    1.000    ▁█\n"
        "  all     0.400\n"
        "accuracy  0.750    ▄▄\n"
        "length    28.0     █▁\n"
        "  all     30.0\n"
        "length of right 18.0   of wrong 22.0\n"
        "pull -0.25\n"
        "kept 33%   lost 50%   flat groups 25%\n"
        "cut 0%\n"
        "entropy 0.312   kl 0.002   clipped 1.5%\n"
        "lr 0.0003   loss 0.0100   grad 0.4\n"
        "tokens/s 5,312   s/step 30.00\n"
        "time      ██████████████████▓▓▓▒▒▒░░░░░░\n"
        "█ generate 60%  ▓ reward 10%\n"
        "▒ filter 10%  ░ update 20%\n"
        "eval 2   reward 0.500   length 12.0\n"
        "accuracy 0.700\n"
        "sample    kept  reward 1.000  advantage…\n"
        "  5+5=\n"
        "  so 5+5=10⏎the answer is 10\n"
        "kept: chosen by the filter · all: every\n"
        "candidate · lost: stopped in a race ·\n"
        "flat: groups of one reward · cut: did\n"
        "not end in time\n"
    )


LABELS = {
    "step 2/8": "position", "generating": "activity", "reward ": "reward", "length  ": "length",
    "accuracy": "rewards", "kept 33%": "shares", "entropy": "learning", "sample": "sample", "tokens/s": "speed",
    "eval after": "evaluation", "length of": "pull", "time": "time", "kept: ch": "legend",
}  # fmt: skip


@pytest.mark.parametrize("height", range(2, 22))
def test_what_does_not_fit_goes_in_the_order_of_worth(view, height):
    view.add_eval(EVAL)
    with view.activity.doing("generating"):
        lines = [line.plain for line in view.lines(80, height)]
    assert len(lines) <= height
    there = {name for line in lines for start, name in LABELS.items() if line.startswith(start)}
    assert there == set(WORTH_OF_ROWS[: len(there)])
    assert len(there) >= min(height - 5, 12)


def test_a_terminal_is_not_filled_beyond_its_last_line_but_one(view):
    console = Console(file=io.StringIO(), force_terminal=True, width=80, height=10)
    console.print(view)
    assert console.file.getvalue().count("\n") <= 9


def test_what_is_never_told_has_no_place(clock):
    view = RunView("grpo", Pace(2))
    assert [line.split()[0] for line in picture(view, 80).splitlines()] == ["grpo", "step"]
    step(view, 1, {"reward": None, "rewards/mine/mean": None, "loss": math.nan})
    assert picture(view, 80).splitlines()[2:] == [
        "reward    -",
        "mine      none yet",
        "length    -",
        "s/step 0.00",
    ]


def test_every_reward_has_its_row_and_late_ones_go_early(clock):
    view = RunView("grpo", Pace(2))
    step(view, 1, {"reward": 1.0} | {f"rewards/r{number}/mean": number / 8 for number in range(8)})
    assert [line[:15] for line in picture(view, 80).splitlines()[3:11]] == [
        f"r{number}        {number / 8:.3f}" for number in range(8)
    ]
    lines = [line.plain for line in view.lines(80, 9)]  # 4 of position, reward and length, 4 rewards, and the speed
    assert [line[:2] for line in lines[3:7]] == ["r0", "r1", "r2", "r3"]


def test_a_reward_may_have_the_name_of_a_figure(clock):
    view = RunView("grpo", Pace(2))
    step(view, 1, {"reward": 1.0, "rewards/reward/mean": 0.25, "rewards/length/mean": 0.5})
    assert [line[:15] for line in picture(view, 80).splitlines()[2:5]] == [
        "reward    1.000", "reward    0.250", "length    0.500",
    ]  # fmt: skip


def test_the_sample_changes_with_each_step(view, clock):
    seen = [view.sample.outcome]
    for number in (3, 4, 5):
        step(view, number, {"loss": 0.02})
        seen.append(view.sample.outcome)
    assert seen == ["kept", "rejected", "kept", "rejected"]


def test_no_text_of_a_completion_moves_the_cursor(view):
    view.add_candidates([candidate(0, "kept", "a\x1b[2J\r\x07\u202eb" + "c" * 200)])
    shown = picture(view, 80)
    assert "a\\x1b[2J\\r\\x07\\u202ebccc" in shown
    assert max(map(len, shown.splitlines())) <= 80


@pytest.mark.parametrize("width", [40, 59, 60, 69, 70, 80, 120, 250])
def test_no_line_is_wider_than_the_terminal(view, width):
    view.description = "a very long description of a run " * 9
    view.add_candidates([candidate(0, "kept", "長い文章" * 200, prompt="何" * 300)])
    step(view, 100_000, {**LOGS, "rewards/a very long name of a reward that goes on and on/mean": 0.5})
    view.add_eval({"eval_reward": -1234.5})
    assert max(line.cell_len for line in view.lines(width) if line.truncate(width) is None) <= width
    assert all(len(line) <= width for line in picture(view, width).splitlines())


RACED = {name: value for name, value in LOGS.items() if not name.startswith("completions/")}


def test_what_a_race_hides_is_that_of_the_last_step_without_one(view):
    step(view, 3, {**RACED, "completions/mean_length_at_least": 22.5})
    lines = picture(view, 80).splitlines()
    assert lines[5].startswith("length    20.0     30.0 at step 2      ")
    assert lines[7] == "kept 33%   lost 50%   flat groups 25%   cut 0% at step 2"


def test_a_race_with_rewards_hides_that_of_all_as_well(view):
    paid = {name: value for name, value in RACED.items() if name != "candidates/reward"}
    step(view, 3, {**paid, "completions/mean_length_at_least": 22.5})
    assert picture(view, 80).splitlines()[3].startswith("reward    0.500    0.400 at step 2     ")


def test_where_every_step_races_the_length_of_all_is_said_to_be_a_lower_bound(clock):
    view = RunView("gfpo", Pace(2))
    step(view, 1, {**RACED, "completions/mean_length_at_least": 22.5})
    assert picture(view, 80).splitlines()[5].startswith("length    20.0     at least 22.5       ")
    assert picture(view, 40).splitlines()[7] == "  all     at least 22.5"


def test_without_a_filter_there_is_one_population(clock):
    view = RunView("grpo", Pace(2))
    step(view, 1, {"reward": 0.5, "completions/mean_length": 9, "completions/clipped_ratio": 0.25})
    lines = picture(view, 80).splitlines()
    assert lines[2:5] == ["reward    0.500    ▄", "length    9.0      ▄", "cut 25%"]


def test_the_end_is_a_hundred_percent(view):
    step(view, 8, LOGS)
    assert "━─" not in picture(view, 80)
    assert " 100% " in picture(view, 80)


def test_a_reused_generation_batch_keeps_its_figures(view):
    step(view, 3, {"loss": 0.02, "grad_norm": 0.1})
    assert view.last.reward == 1.0
    assert view.last.loss == 0.02
    assert view.history["reward"] == [0.5, 1.0]


def test_ascii_terminals_get_ascii(view):
    console = Console(file=io.TextIOWrapper(io.BytesIO(), encoding="ascii"), width=80)
    console.print(view)
    console.file.flush()
    text = console.file.buffer.getvalue().decode("ascii")
    assert text.splitlines()[0].startswith("gfpo ? length ? 8 of 24")
    assert "step 2/8 ##############......" in text


def test_no_color_draws_no_colour(view, monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    assert not any(f"\x1b[{code}m" in picture(view, 80, force_terminal=True) for code in (32, 33, 35, 36))
