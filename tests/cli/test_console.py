"""What is printed is what was given: no markup, no folding where a program reads it."""

import json
import os
import subprocess
import sys

from gpocli.cli.console import plain_table, print_json, print_lines, print_table, stdout_alone

LONG = "x" * 300


def test_lines_are_printed_as_they_are(capsys):
    print_lines("[bold]not markup[/bold]", LONG)
    assert capsys.readouterr().out == f"[bold]not markup[/bold]\n{LONG}\n"


def test_json_is_not_folded(capsys):
    print_json({"name": LONG, "sign": "é[b]"})
    out = capsys.readouterr().out
    assert json.loads(out) == {"name": LONG, "sign": "é[b]"}
    assert "é" in out


def test_a_table_has_columns_of_its_widest_cells(capsys):
    print_table(plain_table(("name", "number"), [("a", "1"), (LONG, "10"), ("[b]", "100")], right=["number"]))
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"{'name':300}  number"
    assert lines[1:] == [f"{'a':300}       1", f"{LONG}      10", f"{'[b]':300}     100"]


def test_stdout_can_be_kept_for_one_console_alone(capfd):
    with stdout_alone() as alone:
        os.write(1, b"past Python\n")
        subprocess.run([sys.executable, "-c", "print('of a child')"], check=True)
        alone.file.write("of the console\n")
    os.write(1, b"afterwards\n")
    out, err = capfd.readouterr()
    assert out == "of the console\nafterwards\n"
    assert err.splitlines() == ["past Python", "of a child"]
