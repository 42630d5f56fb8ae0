"""Rows of CSV and TSV files: every cell is text, exactly as it stands in the file."""

import csv
import sys
from collections.abc import Iterable, Iterator

from gpocli.data.rows import Numbered, OnFault, RowFault

_NAMES = {",": "a comma", "\t": "a tab"}
_DELIMITERS = (
    (";", "semicolons", "save it with commas"),
    ("\t", "tabs", "name the file .tsv"),
    (",", "commas", "name the file .csv"),
)


def read_csv(lines: Iterable[tuple[int, str]], source: str, delimiter: str, on_fault: OnFault) -> Iterator[Numbered]:
    """The rows of a delimited file whose first line names the columns; blank lines are passed over.

    Cells stay text: "NA", "007" and "" are what they are. Blanks around a column name are dropped, and a
    column without a name is called `column_n`. The number of a row is the line it starts on; quoted cells may
    hold line feeds. Tells another delimiter and a name twice, after which nothing is read, and broken quotes and
    rows of another width.
    """
    limit = csv.field_size_limit(min(sys.maxsize, 2**31 - 1))  # 131,072 characters, which long answers exceed
    try:
        # Strict, for otherwise a quote that is never closed swallows the rest of the file without a word.
        reader = csv.reader((text for _, text in lines), delimiter=delimiter, strict=True)
        header: list[str] = []
        while True:
            start = reader.line_num + 1  # of the row, which may end on a later line
            try:
                cells = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                on_fault(RowFault(f"{source}:{start}", _reason(error), "broken quotes or line ends"))
                continue
            if len(cells) < 2 and not any(cells):  # with one column, a blank line and an empty cell look alike
                continue
            if not header:
                header = [cell.strip() or f"column_{number}" for number, cell in enumerate(cells, start=1)]
                if fault := _header_fault(header, delimiter):
                    on_fault(RowFault(f"{source}:{start}", *fault))
                    return
            elif len(cells) != len(header):
                text = (
                    f"{len(cells)} cells where the first line names {len(header)} columns; "
                    f"quote cells that hold {_NAMES[delimiter]}"
                )
                on_fault(RowFault(f"{source}:{start}", text, "another number of cells"))
            else:
                yield start, dict(zip(header, cells, strict=True))
    finally:
        csv.field_size_limit(limit)


def _reason(error: csv.Error) -> str:
    match str(error):
        case "unexpected end of data":
            return 'a cell that starts with " is never closed; close it, or write "" for a quote inside a cell'
        case text if "new-line character" in text:
            return "a bare carriage return ends no line; save the file with \\n or \\r\\n line ends"
        case text:
            return f'broken quotes ({text}); quote the whole cell and write "" for a quote inside it'


def _header_fault(names: list[str], delimiter: str) -> tuple[str, str] | None:
    """What is wrong with the names of the columns, and the kind of fault that it is."""
    for sign, called, fix in _DELIMITERS:
        if len(names) == 1 and sign != delimiter and sign in names[0]:
            return f"the columns are separated by {called} ('{names[0]}'); {fix}", "another delimiter"
    for name in names:
        if names.count(name) > 1:
            return f"column '{name}' is there twice; give each column its own name", "a column twice"
    return None
