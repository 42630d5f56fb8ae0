"""`gpo chat` by a pipe: a conversation with history, one model or two, and its commands."""

import json

import pytest

from tests.cli.in_process import User

HEAD = ": /reset begins anew, /retry answers again, /quit ends; Ctrl-C ends an answer, twice the chat"
SCRIPT = """
import io, json, sys
lines, sys.argv = json.loads(sys.argv[1]), ["gpo", *sys.argv[2:]]
sys.stdin = io.StringIO("".join(line + "\\n" for line in lines))
from gpocli.cli.main import main
main()
"""


@pytest.fixture
def user(tmp_path, monkeypatch, capsys):
    return User(tmp_path, monkeypatch, capsys)


@pytest.fixture
def chat(folder):
    """`chat(arguments, *lines)`: the outcome of `gpo chat` with these lines in a pipe."""
    return lambda arguments, *lines: folder.start_script("-c", SCRIPT, json.dumps(lines), "chat", *arguments).outcome()


def test_lines_are_answered_in_turn_until_the_end(folder, chat):
    done = chat(["embedded", "--max-tokens", "6"], "2+3=?", "", "/retry", "/reset", "/retry", "/foo", "2+3=?")
    assert done.code == 0
    assert done.stderr.splitlines() == [
        f"embedded{HEAD}",
        "a new conversation",
        "nothing was asked yet",
        f"'/foo' is no command{HEAD}",
    ]
    asked = folder.gpo("generate", "embedded", "2+3=?", "--max-tokens", 6, "-n", 3, "--json")
    answers = [json.loads(line) for line in asked.lines]  # to the same prompt: asked, asked again, and asked anew
    cut = "(cut at 6 tokens; --max-tokens allows more)"
    assert done.stdout == "".join(f"{one['text']}\n{'' if one['ended'] else cut + chr(10)}" for one in answers)


def test_two_models_answer_one_below_the_other_and_nothing_after_quit_is_asked(chat):
    done = chat(["embedded", "--beside", "./model", "--max-tokens", "6"], "say 1", "/quit", "say 2")
    assert (done.code, done.stderr) == (0, f"embedded beside ./model{HEAD}\n")
    assert [line for line in done.stdout.splitlines() if line in ("embedded:", "./model:")] == ["embedded:", "./model:"]


def test_a_question_that_leaves_no_room_does_not_end_the_chat(chat):
    done = chat(["embedded", "--max-tokens", "4"], "2+3=? " * 1000, "2+3=?")
    assert done.code == 0
    assert "this chat: row 1: " in done.stderr
    assert done.stdout.startswith("<think>")


def test_a_base_is_that_of_a_run(user):
    said = user.gpo("chat", "embedded", "--beside", "base")
    assert (said.code, said.err) == (
        2,
        "'embedded' is no run, so nothing tells its base; name a model instead of 'base'\n",
    )
