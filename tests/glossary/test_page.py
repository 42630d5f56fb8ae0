"""The page of metrics has the tables of the glossary, and shows what `gpo explain` prints."""

import re
import shlex

import pytest

from tests.cli.in_process import User
from tests.glossary.page import PAGE, tables, wanted

TEXT = PAGE.read_text(encoding="utf-8")
SHOWN = re.findall(r"^\$ (gpo explain .*)\n((?:(?!\$|```).*\n)*)", TEXT, flags=re.MULTILINE)


def test_the_tables_are_those_of_the_glossary():
    assert tables(TEXT) == wanted(), "write them with: python -m tests.glossary.page"


@pytest.mark.parametrize(("command", "shown"), SHOWN, ids=[command for command, _ in SHOWN])
def test_the_page_shows_what_is_printed(command, shown, tmp_path, monkeypatch, capsys):
    said = User(tmp_path, monkeypatch, capsys).gpo(*shlex.split(command)[1:])
    assert (said.code, said.out) == (0, shown)
