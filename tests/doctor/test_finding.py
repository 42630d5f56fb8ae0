"""A line of the doctor."""

import pytest

from gpocli.doctor.finding import Finding


def test_a_fault_without_a_cure_is_a_bug():
    with pytest.raises(AssertionError):
        Finding("disk", "warn", "full")
