"""What `gpo train` shows in a real terminal (tmux), at the widths that people have."""

import shlex
import shutil
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from gpocli.glossary import legend

pytestmark = [pytest.mark.slow, pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")]
TIME_LIMIT = 600
TRAIN = (
    "train gfpo --steps 4 -G 8 -k 4 --prompts-per-step 4 --max-tokens 64 --set batch.updates_per_generation=2 "
    "--set batch.micro_batch=1 --set run.eval_every=2 --set data.eval_limit=4 --set run.save_every=1 --out out"
)
TITLE = "gfpo 4/8 length on embedded "
ROWS = {
    "position": (TITLE, "step "),
    "activity": ("loading ", "evaluating", "generating ", "scoring", "choosing", "log-prob", "update ", "saving "),
    "reward": ("          kept", "reward ", "  all  "),
    "length": ("length  ", "  all  "),
    "rewards": ("accuracy ",),
    "shares": ("kept 50% ",),
    "learning": ("entropy ", "loss ", "grad "),
    "sample": ("sample ", "  "),
    "speed": ("tokens/s ", "s/step "),
    "evaluation": ("eval ",),
    "pull": ("length of ", "pull "),
    "time": ("time ", "█ ", "▒ ", "          █"),
    "legend": (),
}
"""How the lines of each row begin, the worthiest first."""


class Terminal:
    """A terminal of its own, and all that it has shown."""

    def __init__(self, folder: Path, width: int, height: int) -> None:
        self.folder, self.width, self.height = folder, width, height
        self.screens: list[list[str]] = []
        self._looks: list[list[str]] = []

    def run(self, command: str) -> None:
        """Run a command to its end, looking at the screen all the time."""
        over = self.folder / "over"
        # What pytest tells the commands of other tests about their terminal is not so here.
        line = f"cd {shlex.quote(str(self.folder))}; env -u COLUMNS -u LINES -u NO_COLOR {command}; echo $? > over; cat"
        self._tmux("-f", "/dev/null", "new-session", "-d", "-x", str(self.width), "-y", str(self.height), line)
        end = time.monotonic() + TIME_LIMIT
        while not over.exists() and time.monotonic() < end:
            self.look()
            time.sleep(0.02)
        for _ in range(3):
            self.look()
        assert over.read_text().strip() == "0", self.screens[-1]

    def look(self) -> None:
        """Remember the screen, where it is another one and stands still: nobody sees one that is half redrawn."""
        self._looks = [*self._looks, self._tmux("capture-pane", "-p").splitlines()][-3:]
        screen = self._looks[-1]
        if self._looks == [screen] * 3 and screen not in self.screens[-1:]:
            self.screens.append(screen)

    def close(self) -> None:
        """End the terminal with what runs in it."""
        self._tmux("kill-server")

    def pictures(self) -> list[list[str]]:
        """The pictures of the run on all screens, without the lines that come after its end."""
        found = []
        for screen in self.screens:
            titles = [number for number, line in enumerate(screen) if line.startswith(TITLE)]
            if titles:
                lines = "\n".join(screen[titles[-1] :]).split("\n4 steps in")[0]
                found.append(lines.rstrip("\n").splitlines())
        return found

    def _tmux(self, *arguments: str) -> str:
        socket = str(self.folder / "tmux")
        return subprocess.run(["tmux", "-S", socket, *arguments], capture_output=True, text=True, check=False).stdout


@pytest.fixture(
    scope="module", params=[(60, 40), (80, 40), (120, 40), (80, 12)], ids=lambda size: "x".join(map(str, size))
)
def terminal(request, tmp_path_factory) -> Iterator[Terminal]:
    shown = Terminal(tmp_path_factory.mktemp("screen"), *request.param)
    try:
        shown.run(f"{shlex.quote(sys.executable)} -m gpocli {TRAIN}")
        yield shown
    finally:
        shown.close()


def rows_of(line: str, width: int) -> list[str]:
    """The rows that a line may be of; none for the rest of a line that was broken."""
    if line in textwrap.wrap(legend(), width):
        return ["legend"]
    return [name for name, starts in ROWS.items() if line.startswith(starts)]


def test_every_line_is_whole_and_fits(terminal):
    assert len(terminal.pictures()) > 10
    lines = {line for picture in terminal.pictures() for line in picture}
    assert max(map(len, lines)) <= terminal.width
    assert [line for line in lines if not rows_of(line, terminal.width)] == []


def test_the_picture_stays_in_one_place(terminal):
    """A picture that is too high, or has a broken line, leaves parts of it behind each time it is redrawn."""
    assert {sum(line.startswith(TITLE) for line in screen) for screen in terminal.screens} <= {0, 1}
    assert max(map(len, terminal.pictures())) <= terminal.height - 1


def test_the_phases_of_a_run_are_seen(terminal):
    shown = "\n".join(line for picture in terminal.pictures() for line in picture)
    phases = ["loading torch", "loading the model", "evaluating: generating ", "generating ", "/64 ended", "update 1/2"]
    assert [phase for phase in phases if phase not in shown] == []


def test_what_does_not_fit_is_worth_less_than_what_does(terminal):
    last = terminal.pictures()[-1]
    there = {row for line in last for row in rows_of(line, terminal.width)} - {"activity"}
    worth = [name for name in ROWS if name != "activity"]
    assert there == set(worth[: len(there)])
    assert (len(there) == len(worth)) == (terminal.height == 40)


def test_the_sample_is_another_one_after_each_step(terminal):
    samples = [line for picture in terminal.pictures() for line in picture if line.startswith("sample ")]
    if terminal.height == 40:
        assert len(set(samples)) >= 4
        assert any(" kept " in line for line in samples)
        assert any(" rejected " in line or " lost " in line for line in samples)
