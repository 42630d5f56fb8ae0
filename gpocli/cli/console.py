"""The two consoles that commands print to, and how values, lines and tables are printed."""

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console

from gpocli.cli.plain import PlainConsole, is_utf8
from gpocli.display.clean import clean

if TYPE_CHECKING:
    from rich.table import Table

console = PlainConsole(highlight=False, emoji=False)
error_console = PlainConsole(highlight=False, emoji=False, stderr=True)


def print_json(value: object) -> None:
    """Print a value as JSON that no terminal width changes."""
    import json

    text = json.dumps(value, indent=2, ensure_ascii=not is_utf8(console.encoding))
    console.print(text, markup=False, soft_wrap=True)


def print_lines(*lines: str) -> None:
    """Print lines as they are."""
    for line in lines:
        console.print(line, markup=False, soft_wrap=True)


def plain_table(headers: Sequence[str], rows: Sequence[Sequence[str]], *, right: Sequence[str] = ()) -> "Table":
    """A table without lines; columns that are named in `right` hold numbers."""
    from rich.markup import escape
    from rich.table import Column, Table

    columns = [Column(name, overflow="fold", justify="right" if name in right else "left") for name in headers]
    table = Table(*columns, box=None, pad_edge=False)
    for row in rows:
        table.add_row(*(escape(clean(cell)) for cell in row))
    return table


def print_table(table: "Table") -> None:
    """Print a table; where a program reads it nothing is cut or folded."""
    if console.is_terminal:
        console.print(table)
        return
    # As wide as it likes, and without the blanks that fill it up.
    table.width = console.measure(table, options=console.options.update_width(1000)).maximum
    with console.capture() as capture:
        console.print(table, crop=False, soft_wrap=True)
    print_lines(*(line.rstrip() for line in capture.get().splitlines()))


@contextmanager
def stdout_alone() -> Iterator[Console]:
    """A console that alone writes to stdout: what anything else prints there, in any process, goes to stderr."""
    sys.stdout.flush()
    stdout = os.dup(1)
    os.dup2(2, 1)
    try:
        with open(stdout, "w", encoding="utf-8", closefd=False) as file:
            yield PlainConsole(file=file, highlight=False, emoji=False)
    finally:
        sys.stdout.flush()
        os.dup2(stdout, 1)
        os.close(stdout)
