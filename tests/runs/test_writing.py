"""A disk that takes no more."""

import errno

import pytest

from gpocli.errors import EnvironmentFault
from gpocli.runs.writing import writing


@pytest.mark.parametrize(
    ("error", "reason"),
    [(OSError(errno.EDQUOT, "Disk quota exceeded"), "Disk quota exceeded"), (OSError("no reason"), "no reason")],
)
def test_an_error_of_the_disk_is_told_in_one_line(tmp_path, error, reason):
    with pytest.raises(EnvironmentFault) as told, writing(tmp_path / "a"):
        raise error
    assert str(told.value) == f"cannot write '{tmp_path}/a' ({reason}); mend that and go on with --resume"


def test_other_errors_are_let_through(tmp_path):
    with pytest.raises(ValueError, match="mine"), writing(tmp_path / "a"):
        raise ValueError("mine")
