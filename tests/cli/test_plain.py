"""Texts of others do nothing on a terminal, and a terminal that is not UTF-8 gets plain signs."""

import errno
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from gpocli.cli.console import print_json, print_lines
from gpocli.cli.plain import PlainConsole, as_fault, write_plain_signs
from gpocli.display.clean import clean
from gpocli.errors import SpecError

EVIL = "a\x1b]0;title\x07b\x1b[2Jc\x9b31md\r\u202ee\u200bf\ufeffg\x00\x7f\u2028h\u0085\ud800"
WRITTEN = r"a\u001b]0;title\u0007b\u001b[2Jc\u009b31md\u000d\u202ee\u200bf\ufeffg\u0000\u007f\u2028h\u0085\ud800"


@pytest.mark.parametrize("shown", [EVIL, Text(EVIL, style="red"), Panel(EVIL), Text.from_markup("[b]x[/b]") + EVIL])
def test_no_renderable_lets_anything_through(shown):
    stream = io.StringIO()
    PlainConsole(file=stream, width=200, color_system=None).print(shown, markup=False)
    assert not set("\x1b\x07\x9b\r\u202e\u200b\ufeff\x00\x7f\u2028\ud800") & set(stream.getvalue())


def test_cells_and_headers_of_tables_are_cleaned():
    stream = io.StringIO()
    table = Table(EVIL)
    table.add_row(EVIL)
    PlainConsole(file=stream, width=300, color_system=None).print(table)
    assert stream.getvalue().count("\\u001b]0;title") == 2


def test_colours_of_our_own_stay():
    stream = io.StringIO()
    PlainConsole(file=stream, force_terminal=True, color_system="standard").print("[red]a[/red]")
    assert stream.getvalue() == "\x1b[31ma\x1b[0m\n"


def test_lines_and_json_are_cleaned_and_json_is_the_same_value(capsys):
    print_lines(EVIL)
    assert capsys.readouterr().out == f"{WRITTEN}\n"
    print_json({"text": EVIL, "slash": "\\\u202e", "sign": "é"})
    out = capsys.readouterr().out
    assert json.loads(out) == {"text": EVIL, "slash": "\\\u202e", "sign": "é"}
    assert clean(out) == out


def written(text, encoding):
    """What a stream of an encoding gets."""
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding=encoding)
    write_plain_signs(stream)
    stream.write(text)
    stream.flush()
    return raw.getvalue()


def test_a_stream_that_is_not_utf_8_gets_the_nearest_signs():
    assert written("a… 1–2 × ≥ │─┌┼ █▁ é 🙂", "ascii") == b"a... 1-2 x >= |-++ #_ \\u00e9 \\ud83d\\ude42"
    assert written("é…", "latin-1") == b"\xe9..."
    assert written("é…", "utf-8") == "é…".encode()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a full disk that every Linux has")
def test_output_that_cannot_be_written_is_told_in_one_line(tmp_path):
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "gpocli", "guards", "list"], stdout=full, stderr=subprocess.PIPE, text=True
        )  # fmt: skip
    assert (done.returncode, done.stderr) == (
        5,
        "cannot write the output (No space left on device); send it elsewhere\n",
    )


def test_a_name_that_is_too_long_is_told_and_other_errors_are_not_faults():
    fault = as_fault(OSError(errno.ENAMETOOLONG, "File name too long", "x" * 300))
    assert isinstance(fault, SpecError)
    assert str(fault) == f"'{'x' * 40}...' is longer than the name of a file can be; write another"
    with pytest.raises(OSError, match="No such file") as error:
        Path("none").read_bytes()
    assert as_fault(error.value) is None


@pytest.mark.parametrize("arguments", [["plan"], ["filters", "list"], ["--help"]])
def test_commands_work_on_an_ascii_terminal(arguments, tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "gpocli", *arguments],
        capture_output=True, cwd=tmp_path, env={"PATH": "", "PYTHONIOENCODING": "ascii", "PYTHONPATH": sys.path[0]},
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.isascii()
    assert done.stdout
