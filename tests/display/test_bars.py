"""The bars: how far a run is, and where its time goes."""

import pytest

from gpocli.display import pace
from gpocli.display.bars import position, time_split
from gpocli.display.pace import Pace


def test_half_of_the_steps_are_half_of_the_bar(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(pace.time, "monotonic", lambda: now[0])
    done = Pace(8)
    now[0] = 40.0
    done.tick(4)
    # 15 cells are left, of which half, 7.5, is rounded to the even 8.
    assert position(done, 40, ascii_only=True).plain == "step 4/8 ########.......  50%  0:40 left"
    assert position(Pace(0), 30, ascii_only=True).plain.startswith("step 0/0 ")


@pytest.mark.parametrize(
    ("width", "lines"),
    [
        (
            70,
            [
                "time      " + "#" * 36 + "=" * 6 + "+" * 6 + "." * 12,  # 60 cells for 6 + 1 + 1 + 2 seconds
                "          # generate 60%  = reward 10%  + filter 10%  . update 20%",
            ],
        ),
        (30, ["time      ############==++....", "# generate 60%  = reward 10%", "+ filter 10%  . update 20%"]),
    ],
)
def test_the_parts_of_the_time_are_those_of_the_bar(width, lines):
    phases = [(4.0, 1.0, None, 2.0), (2.0, None, 1.0, None)]
    assert [line.plain for line in time_split(phases, width, ascii_only=True)] == lines


def test_where_no_time_was_told_there_is_no_bar():
    assert time_split([], 80, ascii_only=False) == time_split([(None, None, None, None)], 80, ascii_only=False) == []
