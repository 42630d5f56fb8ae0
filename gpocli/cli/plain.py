"""What reaches a terminal does nothing there but show: no control characters, no signs that it cannot write."""

import codecs
import errno
import os
import sys
import traceback
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, TextIO

from rich.console import Console
from rich.segment import Segment

from gpocli.display.clean import ACTS, clean, escaped
from gpocli.errors import EnvironmentFault, GpoError, SpecError

if TYPE_CHECKING:
    from rich.console import ConsoleOptions, RenderableType

_PLAIN = {
    "…": "...", "–": "-", "—": "-", "·": ".", "×": "x", "±": "+-", "→": "->", "←": "<-", "↑": "^", "↓": "v", "≥": ">=",
    "≤": "<=", "≈": "~", "µ": "u", "✓": "+", "✗": "x", "•": "*", "‘": "'", "’": "'", "“": '"', "”": '"', "\xa0": " ",
    "█": "#", "▉": "#", "▊": "#", "▋": "#", "▌": "=", "▍": "=", "▎": "-", "▏": "-", "▁": "_", "▂": "_", "▃": "-",
    "▄": "-", "▅": "=", "▆": "=", "▇": "#", "░": ".", "▒": ":", "▓": "#", "●": "*", "○": "o",
}  # fmt: skip
_HANDLER = "gpo-plain"


class PlainConsole(Console):
    """A console that shows texts of others (data, completions, plugins, messages) and obeys none of them."""

    def print(self, *objects: Any, **options: Any) -> None:
        # before rich leaves out what it takes for control codes of its own
        super().print(*(clean(one) if isinstance(one, str) else one for one in objects), **options)

    def render(self, renderable: "RenderableType", options: "ConsoleOptions | None" = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            acts = segment.control is None and ACTS.search(segment.text)
            yield Segment(clean(segment.text), segment.style) if acts else segment


def as_fault(error: OSError) -> GpoError | None:
    """The fault of the user or the machine that an error of the system is, wherever it comes from; None for others.

    Where it is that stdout takes no more, on a full disk for example, nothing more is written there, or Python would
    fail once more at its end.
    """
    if error.errno == errno.ENAMETOOLONG:
        return SpecError(f"'{str(error.filename)[:40]}...' is longer than the name of a file can be; write another")
    if not traceback.extract_tb(error.__traceback__)[-1].filename.endswith(os.path.join("rich", "console.py")):
        return None
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return EnvironmentFault(f"cannot write the output ({error.strerror}); send it elsewhere")


def write_plain_signs(*streams: TextIO) -> None:
    """Let streams (stdout and stderr) that are not UTF-8 write the nearest plain sign, or `\\u00e9`, and never fail."""
    codecs.register_error(_HANDLER, _plain_signs)
    for stream in streams or (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure") and not is_utf8(stream.encoding):
            stream.reconfigure(errors=_HANDLER)


def is_utf8(encoding: str) -> bool:
    """Whether an encoding has every sign."""
    return codecs.lookup(encoding).name.startswith("utf")


def _plain_signs(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    signs = error.object[error.start : error.end]
    return "".join(_plain_sign(sign) for sign in signs), error.end


def _plain_sign(sign: str) -> str:
    if "\u2500" <= sign <= "\u257f":  # lines of boxes
        return "-" if sign in "─━┄┅┈┉╌╍═╴╶╸╺╼╾" else "|" if sign in "│┃┆┇┊┋╎╏║" else "+"
    return _PLAIN.get(sign) or escaped(sign)
