"""Charts made of characters."""

import pytest

from gpocli.display.charts import sparkline, split_widths


@pytest.mark.parametrize(
    ("values", "width", "line"),
    [
        ([0, 1, 2, 3, 4, 5, 6, 7], 8, "▁▂▃▄▅▆▇█"),
        ([0, 7], 8, "▁█"),
        ([0, 2, 6, 8], 2, "▁█"),  # means 1 and 7
        ([None, 1, None, 2], 8, "▁█"),
        ([3, 3, 3], 8, "▄▄▄"),
        ([0, 0], 8, "▄▄"),
        ([-5], 8, "▄"),
        ([], 8, ""),
        ([None], 8, ""),
        ([1, 2], 0, ""),
    ],
)
def test_a_sparkline_shows_the_course(values, width, line):
    assert sparkline(values, width) == line


def test_a_sparkline_can_do_without_unicode():
    assert sparkline([0, 7], 8, ascii_only=True) == "_#"


@pytest.mark.parametrize(
    ("parts", "width", "widths"),
    [
        ([1, 1], 10, [5, 5]),
        ([2, 1], 10, [7, 3]),  # 6.67 and 3.33
        ([1, 1, 1], 10, [4, 3, 3]),
        ([0, 0], 10, [0, 0]),
        ([5], 3, [3]),
    ],
)
def test_split_widths_add_up(parts, width, widths):
    assert split_widths(parts, width) == widths
