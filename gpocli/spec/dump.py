"""Writing a run spec as YAML text that loads again to an equal spec."""

import math
import re
from collections.abc import Callable, Iterator
from typing import Any

from gpocli.spec.run_spec import RunSpec

_PLAIN = re.compile(r"[A-Za-z./][\w./-]*", re.ASCII)
# not text to some reader: YAML 1.1 has more truth values than the 1.2 that is read here
_WORDS = {"null", "true", "false", "yes", "no", "on", "off", "y", "n", "t", "f", ".inf", ".nan"}
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t"}


def dump_spec(spec: RunSpec, remark: Callable[[str], str] | None = None) -> str:
    """Write every value of `spec`, defaults included; what `remark` says of a dotted path follows as a comment."""
    return "\n".join(_mapping_lines(spec.model_dump(), "", "", remark)) + "\n"


def dump_value(value: Any) -> str:
    """Write one value on one line."""
    return _flow(value)


def _mapping_lines(
    mapping: dict[str, Any], indent: str, above: str, remark: Callable[[str], str] | None
) -> Iterator[str]:
    for name, value in mapping.items():
        path = f"{above}{name}"
        if isinstance(value, dict) and value:
            yield f"{indent}{_text(name)}:"
            yield from _mapping_lines(value, indent + "  ", f"{path}.", remark)
        elif isinstance(value, list) and any(isinstance(item, dict) for item in value):
            yield f"{indent}{_text(name)}:"
            for i, item in enumerate(value):
                yield f"{indent}- {_flow(item)}{_comment(f'{path}.{i}', remark)}"
        else:
            yield f"{indent}{_text(name)}: {_flow(value)}{_comment(path, remark)}"


def _comment(path: str, remark: Callable[[str], str] | None) -> str:
    return "" if remark is None else "  # " + "".join(map(_character, remark(path)))


def _flow(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case float():
            return repr(value) if math.isfinite(value) else _not_finite(value)
        case str():
            return _text(value)
        case dict():
            return "{" + ", ".join(f"{_text(str(name))}: {_flow(item)}" for name, item in value.items()) + "}"
        case list() | tuple():
            return "[" + ", ".join(map(_flow, value)) + "]"
    raise TypeError(f"a run spec cannot hold a value of type {type(value).__name__}")


def _not_finite(value: float) -> str:
    return ".nan" if math.isnan(value) else ".inf" if value > 0 else "-.inf"


def _text(text: str) -> str:
    """Leave a plain word as it is, and quote whatever some YAML reader might take for something else."""
    if _PLAIN.fullmatch(text) and text.lower() not in _WORDS and not text.startswith("..."):
        return text
    return '"' + "".join(map(_character, text)) + '"'


def _character(c: str) -> str:
    if c in _ESCAPES:
        return _ESCAPES[c]
    if c.isprintable():
        return c
    code = ord(c)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
