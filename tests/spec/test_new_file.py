"""Files are written where there was none."""

import pytest

from gpocli.errors import SpecError
from gpocli.spec.new_file import write_new


def test_a_new_file_gets_its_folder(tmp_path):
    write_new(tmp_path / "a" / "b.yaml", "run: {}\n")
    assert (tmp_path / "a" / "b.yaml").read_text() == "run: {}\n"


def test_a_file_that_is_there_stays_as_it_is(tmp_path):
    (tmp_path / "b.yaml").write_text("mine")
    with pytest.raises(SpecError, match="is there already; name another file"):
        write_new(tmp_path / "b.yaml", "x")
    assert (tmp_path / "b.yaml").read_text() == "mine"


def test_a_file_cannot_be_a_folder(tmp_path):
    (tmp_path / "a").write_text("")
    with pytest.raises(SpecError, match="a' is a file, not a folder"):
        write_new(tmp_path / "a" / "b.yaml", "x")
