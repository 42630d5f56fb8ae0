"""Rows of CSV and TSV files: every cell is text, exactly as it stands in the file."""

import csv
import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from gpocli.data.rows import Numbered, OnFault, RowFault

if TYPE_CHECKING:
    import _csv

_NAMES = {",": "a comma", "\t": "a tab"}


def read_csv(lines: Iterable[tuple[int, str]], source: str, delimiter: str, on_fault: OnFault) -> Iterator[Numbered]:
    """The rows of a delimited file whose first line names the columns; blank lines are passed over.

    Cells stay text: "NA", "007" and "" are what they are. Blanks around a column name are dropped, and a
    column without a name is called `column_n`. The number of a row is the line it starts on; quoted cells may
    hold line feeds. Tells another delimiter and a name twice, after which nothing is read, and broken quotes and
    rows of another width.
    """
    limit = csv.field_size_limit(min(sys.maxsize, 2**31 - 1))  # 131,072 characters, which long answers exceed
    try:
        reader = csv.reader((text for _, text in lines), delimiter=delimiter, strict=True)
        header: list[str] = []
        start = 1
        for cells in _cells(reader, source, on_fault):
            if not any(cells) and len(cells) < 2:
                pass
            elif not header:
                try:
                    header = _header(cells, source, start, delimiter)
                except RowFault as fault:
                    on_fault(fault)
                    return
            elif len(cells) != len(header):
                text = (
                    f"{len(cells)} cells where the first line names {len(header)} columns; "
                    f"quote cells that hold {_NAMES[delimiter]}"
                )
                on_fault(RowFault(f"{source}:{start}", text, "another number of cells"))
            else:
                yield start, dict(zip(header, cells, strict=True))
            start = reader.line_num + 1
    finally:
        csv.field_size_limit(limit)


def _cells(reader: "_csv.Reader", source: str, on_fault: OnFault) -> Iterator[list[str]]:
    while True:
        start = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            on_fault(RowFault(f"{source}:{start}", _reason(error), "broken quotes or line ends"))
            continue
        yield cells


def _reason(error: csv.Error) -> str:
    match str(error):
        case "unexpected end of data":
            return 'a cell that starts with " is never closed; close it, or write "" for a quote inside a cell'
        case text if "new-line character" in text:
            return "a bare carriage return ends no line; save the file with \\n or \\r\\n line ends"
        case text:
            return f'broken quotes ({text}); quote the whole cell and write "" for a quote inside it'


def _header(cells: list[str], source: str, line: int, delimiter: str) -> list[str]:
    names = [cell.strip() or f"column_{number}" for number, cell in enumerate(cells, start=1)]
    if len(names) == 1:
        _refuse_other_delimiter(names[0], source, line, delimiter)
    for name in names:
        if names.count(name) > 1:
            text = f"column '{name}' is there twice; give each column its own name"
            raise RowFault(f"{source}:{line}", text, "a column twice")
    return names


def _refuse_other_delimiter(name: str, source: str, line: int, delimiter: str) -> None:
    for sign, called in ((";", "semicolons"), ("\t", "tabs"), (",", "commas")):
        if sign != delimiter and sign in name:
            cure = {"\t": "name the file .tsv", ",": "name the file .csv"}.get(sign, "save it with commas")
            text = f"the columns are separated by {called} ('{name}'); {cure}"
            raise RowFault(f"{source}:{line}", text, "another delimiter")
