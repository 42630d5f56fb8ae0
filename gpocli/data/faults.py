"""Faults of single rows: raised at once by a run, collected by `gpo data check`."""

from collections.abc import Callable

from gpocli.errors import SpecError


class RowFault(SpecError):
    """What is wrong with one row or line, `place: text`; faults of one `kind` are counted together."""

    def __init__(self, place: str, text: str, kind: str) -> None:
        super().__init__(f"{place}: {text}")
        self.kind = kind


OnFault = Callable[[RowFault], None]
"""What a reader calls for a fault; when it returns, the reader goes on after the fault if that can be done."""


def refuse(fault: RowFault) -> None:
    """Raise the fault: the answer of those who need every row."""
    raise fault
