"""The live display: a terminal that is whole afterwards."""

import io

import pytest
from rich.console import Console

from gpocli.display.live import LiveDisplay
from gpocli.runs.activity import Activity

LOGS = {"reward": 0.5, "loss": 0.01}
HIDE, SHOW = "\x1b[?25l", "\x1b[?25h"


def live():
    return LiveDisplay(Console(file=io.StringIO(), force_terminal=True, width=80, height=24))


def test_the_cursor_is_back_after_an_exception():
    display = live()

    def fail():
        with display:
            display.start(3, "gfpo")
            display.step(1, LOGS)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    text = display.console.file.getvalue()
    assert text.count(HIDE) == text.count(SHOW) == 1
    assert text.rindex(SHOW) > text.rindex(HIDE)


def test_a_run_to_its_end():
    with live() as display:
        display.start(2, "gfpo")
        display.note("[a note]")
        display.step(1, LOGS)
        display.eval({"eval_reward": 0.5})
        display.step(2, LOGS)
        with display.view.activity.doing("saving"):
            display.finish(None)
    assert "saving" not in [line.plain for line in display.view.lines(80)]
    text = display.console.file.getvalue()
    assert "[a note]" in text
    assert "100%" in text


def test_an_interrupted_run_says_where():
    with live() as display:
        display.start(3, "gfpo")
        display.step(2, {})
        display.interrupted()
    assert display.console.file.getvalue().endswith("interrupted after step 2 of 3\n")


def test_an_error_before_the_start_leaves_the_terminal_alone():
    with pytest.raises(ZeroDivisionError), live() as display:
        raise ZeroDivisionError
    assert display.console.file.getvalue() == ""


def test_what_is_loaded_is_told_and_gone_when_the_run_never_begins():
    display, loading = live(), Activity()

    def fail():
        with display, loading.doing("loading the model"):
            display.watch(loading, "gfpo")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    text = display.console.file.getvalue()
    assert "loading the model" in text
    assert text.count(HIDE) == text.count(SHOW) == 1
    assert text.endswith("\x1b[1A\x1b[2K")  # what was there is erased, line by line


def test_the_activity_goes_on_in_the_picture_of_the_run():
    with live() as display:
        display.watch(Activity(), "gfpo")
        training = Activity()
        display.watch(training)
        display.start(2, "gfpo")
        with training.doing("generating", lambda: "3/8 ended"):
            assert "generating 3/8 ended" in [line.plain for line in display.view.lines(80)]
