"""Rows of CSV and TSV files: every cell is text, exactly as it stands in the file."""

import csv
import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from gpocli.errors import SpecError

if TYPE_CHECKING:
    import _csv

Numbered = tuple[int, dict[str, str]]


def read_csv(lines: Iterable[tuple[int, str]], source: str, delimiter: str) -> Iterator[Numbered]:
    """The rows of a delimited file whose first line names the columns; blank lines are passed over.

    Cells stay text: "NA", "007" and "" are what they are. Blanks around a column name are dropped, and a
    column without a name is called `column_n`. The number of a row is the line it starts on; quoted cells may
    hold line feeds. Raises SpecError for another delimiter, broken quotes, a name twice, and rows of another
    width.
    """
    limit = csv.field_size_limit(min(sys.maxsize, 2**31 - 1))
    try:
        reader = csv.reader((text for _, text in lines), delimiter=delimiter, strict=True)
        header: list[str] = []
        start = 1
        for cells in _cells(reader, source):
            if not any(cells) and len(cells) < 2:
                pass
            elif not header:
                header = _header(cells, source, start, delimiter)
            elif len(cells) != len(header):
                raise SpecError(
                    f"{source}:{start}: {len(cells)} cells where the first line names {len(header)} columns; "
                    f"quote cells that hold {_NAMES[delimiter]}"
                )
            else:
                yield start, dict(zip(header, cells, strict=True))
            start = reader.line_num + 1
    finally:
        csv.field_size_limit(limit)


_NAMES = {",": "a comma", "\t": "a tab"}


def _cells(reader: "_csv.Reader", source: str) -> Iterator[list[str]]:
    while True:
        start = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise SpecError(f"{source}:{start}: {_reason(error)}") from error
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
            raise SpecError(f"{source}:{line}: column '{name}' is there twice; give each column its own name")
    return names


def _refuse_other_delimiter(name: str, source: str, line: int, delimiter: str) -> None:
    for sign, called in ((";", "semicolons"), ("\t", "tabs"), (",", "commas")):
        if sign != delimiter and sign in name:
            cure = {"\t": "name the file .tsv", ",": "name the file .csv"}.get(sign, "save it with commas")
            raise SpecError(f"{source}:{line}: the columns are separated by {called} ('{name}'); {cure}")
