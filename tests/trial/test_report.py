"""How values are summed up, compared and written."""

import pytest

from gpocli.trial.report import KindRow, duration, first_difference, kind_rows, number


def test_values_by_kind():
    assert kind_rows(["a", "b", "a"], [1.0, None, 2.0], [True, False, False]) == (
        KindRow("a", 2, 0, 1.0, 1.5, 2.0, 1),
        KindRow("b", 1, 1, None, None, None, 0),
    )


@pytest.mark.parametrize(
    ("one", "other", "at"),
    [
        ([1.0, None], [1.0 + 1e-13, None], None),
        ([1.0, 2.0], [1.0, 2.1], 1),
        ([None, 2.0], [0.0, 2.0], 0),
        ([], [], None),
    ],
)
def test_first_difference(one, other, at):
    assert first_difference(one, other) == at


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.0000123, "12 µs"),
        (0.0000012, "1.2 µs"),
        (0.0034, "3.4 ms"),
        (2.0, "2.0 s"),
        (1234.0, "1,234 s"),
        (0, "0.0 µs"),
    ],
)
def test_durations(seconds, text):
    assert duration(seconds) == text


def test_numbers():
    assert [number(value) for value in (None, 1.0, 1 / 3, -1e-9)] == ["None", "1", "0.333333", "-1e-09"]


def test_what_only_ranks_equal_scores_is_shown_as_nothing():
    assert [number(value) for value in (-3e-322, 0.0, -2e-7, float("nan"), None)] == ["0", "0", "-2e-07", "nan", "None"]
