"""Reading data: a source becomes plain rows, checked, with the place of every fault. Free of torch."""

from gpocli.data.columns import RESERVED
from gpocli.data.location import looks_local
from gpocli.data.prompts import prepare
from gpocli.data.required import require_columns
from gpocli.data.rows import ROW_KEY, Rows, gather

__all__ = ["RESERVED", "ROW_KEY", "Rows", "gather", "looks_local", "prepare", "require_columns"]
