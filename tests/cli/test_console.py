"""What is printed is what was given: no markup, no folding where a program reads it."""

import json

from gpocli.cli.console import plain_table, print_json, print_lines, print_table

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
