"""`gpo chat` in a real terminal (tmux): two columns or one, typing, Ctrl-C."""

import shutil
import subprocess
import sys
import time

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")]
TIME_LIMIT = 600


class Chat:
    """A chat in a terminal of its own."""

    def __init__(self, folder, width, arguments):
        self._folder = folder
        line = f"cd {folder}; env -u COLUMNS -u LINES -u NO_COLOR {sys.executable} -m gpocli chat {arguments}"
        line += "; echo ended $?; cat"
        self._tmux("-f", "/dev/null", "new-session", "-d", "-x", str(width), "-y", "40", line)

    def type(self, *keys):
        self._tmux("send-keys", *keys)

    def screen(self):
        return self._tmux("capture-pane", "-p").splitlines()

    def wait_for(self, happened):
        """The first screen of which `happened` is true."""
        end = time.monotonic() + TIME_LIMIT
        while not happened(screen := self.screen()):
            assert time.monotonic() < end, screen
            time.sleep(0.05)
        return screen

    def close(self):
        self._tmux("kill-server")

    def _tmux(self, *arguments):
        command = ["tmux", "-S", str(self._folder / "socket"), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@pytest.fixture
def chat(tmp_path):
    """`chat(width, arguments)`: a chat that waits for its first line."""
    begun = []

    def begin(width, arguments):
        begun.append(Chat(tmp_path, width, arguments))
        begun[-1].wait_for(lambda screen: is_waiting(screen))
        return begun[-1]

    yield begin
    for one in begun:
        one.close()


def is_waiting(screen):
    """Whether the last line that is written is the prompt."""
    return [line for line in screen if line][-1:] == [">"]


def test_two_answers_stand_side_by_side_on_a_wide_terminal(chat):
    talk = chat(120, "embedded --beside embedded --max-tokens 40 --set sampling.top_k=1")
    talk.type("2+3=?", "Enter")
    screen = talk.wait_for(lambda screen: is_waiting(screen) and any("<think>" in line for line in screen))
    (head,) = [line for line in screen if line.split() == ["embedded", "embedded"]]
    rest = screen[screen.index(head) + 1 :]
    answer = [line for line in rest if line and not line.startswith(("(", ">")) and "(cut" not in line]
    assert answer[0].count("<think>") == 2
    middle = head.rindex("embedded")
    assert [line[:middle].strip() for line in answer] == [line[middle:].strip() for line in answer]


def test_they_stand_below_each_other_on_a_narrow_one(chat):
    talk = chat(80, "embedded --beside embedded --max-tokens 20")
    talk.type("2+3=?", "Enter")
    screen = talk.wait_for(lambda screen: is_waiting(screen) and "<think>" in "".join(screen))
    assert screen.count("embedded:") == 2


def test_ctrl_c_ends_an_answer_and_twice_the_chat(chat):
    talk = chat(100, "embedded --max-tokens 900 --system x --temperature 100")  # which hardly ever ends by itself
    talk.type("2+3=?", "Enter")
    talk.wait_for(lambda screen: len("".join(screen).partition("> 2+3=?")[2]) > 10)
    talk.type("C-c")
    talk.wait_for(lambda screen: is_waiting(screen) and "(ended by Ctrl-C)" in screen)
    talk.type("C-c")
    screen = talk.wait_for(lambda screen: any(line.endswith("ended 130") for line in screen))
    assert "Traceback" not in "".join(screen)


def test_what_is_typed_while_an_answer_comes_is_the_next_line(chat):
    talk = chat(100, "embedded --max-tokens 60")
    talk.type("2+3=?", "Enter")
    talk.type("/quit", "Enter")
    screen = talk.wait_for(lambda screen: "ended 0" in screen)
    assert screen[screen.index("> 2+3=?") + 1].startswith("<think>")
