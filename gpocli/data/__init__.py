"""Reading data: local files become plain rows, checked, with the place of every fault. Free of torch."""

from gpocli.data.columns import RESERVED, require_columns
from gpocli.data.location import looks_local
from gpocli.data.read import prepare, read_rows
from gpocli.data.rows import ROW_KEY, Rows, gather

__all__ = ["RESERVED", "ROW_KEY", "Rows", "gather", "looks_local", "prepare", "read_rows", "require_columns"]
