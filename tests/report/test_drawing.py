"""Charts are drawn with the colours of the page, and without the package that draws it is told."""

import sys

import pytest

from gpocli.errors import EnvironmentFault
from gpocli.report.drawing import colour, draw_chart, draw_lengths, require_drawing
from gpocli.report.lengths import Lengths
from gpocli.report.series import Chart, Curve


def test_a_chart_takes_its_colours_from_the_page():
    drawn = draw_chart(Chart("t", "share", ["a"], [Curve(1, 0, [(1.0, 0.0), (2.0, 1.0)])]))
    assert drawn.startswith("<svg")
    assert 'stroke="var(--run-1)"' in drawn
    assert "http" not in drawn.replace("http://www.w3.org/", "")


def test_one_step_is_a_point():
    drawn = draw_chart(Chart("t", "share", ["a"], [Curve(0, 0, [(1.0, 0.5)])]))
    assert 'fill="var(--run-0)"' in drawn


def test_lengths_are_drawn():
    assert "var(--run-1)" in draw_lengths([None, Lengths([0.0, 1.0], [1.0, 0.0], [0.0, 1.0])])


def test_the_seventh_run_has_the_first_colour():
    assert colour(6) == colour(0) == "var(--run-0)"


def test_a_missing_package_is_told(monkeypatch):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(EnvironmentFault, match=r"pip install 'gpocli\[report\]'"):
        require_drawing()
