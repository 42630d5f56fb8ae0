"""The picture of a run: whole lines at any width, readable without colour."""

import io
import math

import pytest
from rich.console import Console

from gpocli.display import pace
from gpocli.display.pace import Pace
from gpocli.display.run_view import RunView

LOGS = {
    "reward": 0.5,
    "candidates/reward": 0.4,
    "rewards/accuracy/mean": 0.75,
    "kept/mean_length": 20.0,
    "completions/mean_length": 30.0,
    "kept/share": 1 / 3,
    "lost/share": 0.5,
    "frac_reward_zero_std": 0.25,
    "completions/clipped_ratio": 0.0,
    "loss": 0.01,
    "grad_norm": 0.4,
    "tokens_per_second": 5312.4,
    "time/generate": 6.0,
    "time/reward": 1.0,
    "time/filter": 1.0,
    "time/update": 2.0,
}


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
    for number in (1, 2):
        clock[0] += 30.0
        step(view, number, {**LOGS, "reward": number / 2, "kept/mean_length": 30 - number})
    return view


def picture(view, width, **options):
    console = Console(file=io.StringIO(), width=width, **options)
    console.print(view)
    return console.file.getvalue()


def test_eighty_columns(view):
    view.add_eval({"eval_reward": 0.5, "eval_rewards/accuracy/mean": 0.7, "eval_completions/mean_length": 12})
    assert picture(view, 80) == (
        "gfpo · length · 8 of 24                                                     1:00\n"
        "step 2/8 ━━━━━━━━━━━━━━─────────────────────────────────────────  25%  3:00 left\n"
        "          kept     all\n"
        "reward    1.000    0.400               ▁█\n"
        "accuracy  0.750                        ▄▄\n"
        "length    28.0     30.0                █▁\n"
        "kept 33%   lost 50%   flat groups 25%   cut 0%\n"
        "tokens/s 5,312   s/step 30.00   loss 0.0100   grad 0.4\n"
        "time      ██████████████████████████████████████████▓▓▓▓▓▓▓▒▒▒▒▒▒▒░░░░░░░░░░░░░░\n"
        "          █ generate 60%  ▓ reward 10%  ▒ filter 10%  ░ update 20%\n"
        "eval after step 2  reward 0.500   accuracy 0.700   length 12.0\n"
    )


def test_forty_columns(view):
    view.add_eval({"eval_reward": 0.5, "eval_rewards/accuracy/mean": 0.7, "eval_completions/mean_length": 12})
    assert picture(view, 40) == (
        "gfpo · length · 8 of 24             1:00\n"
        "step 2/8 ━━━━───────────  25%  3:00 left\n"
        "          kept\n"
        "reward    1.000    ▁█\n"
        "  all     0.400\n"
        "accuracy  0.750    ▄▄\n"
        "length    28.0     █▁\n"
        "  all     30.0\n"
        "kept 33%   lost 50%   flat groups 25%\n"
        "tokens/s 5,312   s/step 30.00\n"
        "time      ██████████████████▓▓▓▒▒▒░░░░░░\n"
        "█ generate 60%  ▓ reward 10%\n"
        "▒ filter 10%  ░ update 20%\n"
        "eval 2  accuracy 0.700   length 12.0\n"
    )


@pytest.mark.parametrize("width", [40, 59, 60, 69, 70, 80, 120, 250])
def test_no_line_is_wider_than_the_terminal(view, width):
    view.description = "a very long description of a run " * 9
    step(view, 100_000, LOGS)
    view.add_eval({"eval_reward": -1234.5})
    lines = picture(view, width).splitlines()
    assert max(len(line) for line in lines) <= width
    assert len(lines) <= 14


def test_nothing_known_is_shown_as_dashes(clock):
    view = RunView("grpo", Pace())
    step(view, 1, {"reward": None, "loss": math.nan})
    lines = picture(view, 80).splitlines()
    assert lines[3:] == [
        "reward    -        ",
        "accuracy  -        ",
        "length    -        ",
        "flat groups -   cut -",
        "tokens/s -   s/step 0.00   loss -   grad -",
        "time      -",
    ]


RACED = {name: value for name, value in LOGS.items() if not name.startswith("completions/")}


def test_what_a_race_hides_is_that_of_the_last_step_without_one(view):
    step(view, 3, {**RACED, "completions/mean_length_at_least": 22.5})
    lines = picture(view, 80).splitlines()
    assert lines[5].startswith("length    20.0     30.0 at step 2      ")
    assert lines[6] == "kept 33%   lost 50%   flat groups 25%   cut 0% at step 2"


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
    assert (lines[2], lines[5]) == ("", "length    9.0      ▄")
    assert lines[6] == "flat groups -   cut 25%"


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
