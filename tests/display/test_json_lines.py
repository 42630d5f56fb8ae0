"""Events for machines: one strict JSON object a line."""

import io
import json
import math
import re
from pathlib import Path

import pytest
from rich.console import Console

from gpocli.display.json_lines import JsonLines
from gpocli.runs.activity import Activity
from gpocli.runs.summary import summarize
from tests.display.test_run_view import candidate


@pytest.fixture
def progress():
    with JsonLines(Console(file=io.StringIO(), width=40), quiet=3600.0) as progress:
        yield progress


def told(progress):
    def refuse(constant):
        raise AssertionError(constant)

    lines = [json.loads(line, parse_constant=refuse) for line in progress.console.file.getvalue().splitlines()]
    assert all(isinstance(line.pop("time"), float) for line in lines)
    return lines


def test_a_run_in_events(progress):
    activity = Activity()
    with activity.doing("loading the model"):
        progress.watch(activity, "grpo")
    progress.note("[a] note\nof two lines " + "x" * 90)
    progress.start(2, "grpo", 1)
    progress.candidates([candidate(0, "kept", "text\x1b", prompt_id="p")])
    progress.step(2, {})
    progress.step(2, {"reward": 0.5, "loss": math.nan})
    progress.eval({"eval_reward": 0.25})
    progress.interrupted()
    lines = told(progress)
    assert lines[0] == {"event": "activity", "phase": "loading the model", "doing": "loading the model", "step": 0}
    assert lines[1] == {"event": "note", "text": "[a] note\nof two lines " + "x" * 90}
    assert lines[2] == {"event": "start", "description": "grpo", "steps": 2, "first_step": 1}
    assert lines[3] == {"event": "step", "step": 2, "steps": 2, "seconds_left": 0.0}
    assert lines[4] == {"event": "metrics", "step": 2, "figures": {"reward": 0.5, "loss": None}}
    assert lines[5]["event"] == "sample"
    assert [lines[5][name] for name in ("step", "outcome", "completion", "reward", "prompt_id")] == [
        2, "kept", "text\x1b", 1.0, "p",
    ]  # fmt: skip
    assert "tokens" not in lines[5]
    assert lines[6:] == [
        {"event": "eval", "step": 2, "figures": {"eval_reward": 0.25}},
        {"event": "interrupted", "step": 2, "steps": 2},
    ]


def test_the_end_has_the_summary(progress):
    progress.finish(summarize([{"kind": "train", "step": 3, "reward": 0.5}]))
    (end,) = told(progress)
    assert (end["event"], end["summary"]["steps"], end["summary"]["reward_last"]) == ("end", 3, 0.5)
    assert end["lines"][0].startswith("3 steps: reward 0.500 to 0.500")


def test_a_line_is_written_whole_at_once(progress):
    """Nothing of a line waits in a buffer for the next one."""
    written = []
    progress.console.file.write = written.append
    progress.note("a")
    assert [text[-1] for text in written] == ["\n"]


def test_the_page_names_every_event():
    root = Path(__file__).parents[2]
    page = (root / "docs" / "running.md").read_text(encoding="utf-8").split("| event | has |")[1].split("\n\n")[0]
    code = "".join((root / "gpocli" / file).read_text() for file in ("display/json_lines.py", "cli/train.py"))
    told = set(re.findall(r"""tell\((?:lines, )?"(\w+)\"""", code))
    assert set(re.findall(r"^\| `(\w+)` \|", page, flags=re.MULTILINE)) == told
    assert len(told) == 11
