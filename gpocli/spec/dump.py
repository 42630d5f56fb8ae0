"""Writing a run spec as YAML text that loads again to an equal spec."""

import math
import re
from typing import Any

from gpocli.spec.run_spec import RunSpec

_PLAIN = re.compile(r"[A-Za-z./][\w./-]*", re.ASCII)
_WORDS = {"null", "true", "false", "yes", "no", "on", "off", "y", "n", "t", "f", ".inf", ".nan"}
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t"}


def dump_spec(spec: RunSpec) -> str:
    """Write every value of `spec`, defaults included."""
    return "\n".join(_mapping_lines(spec.model_dump(), "")) + "\n"


def _mapping_lines(mapping: dict[str, Any], indent: str) -> list[str]:
    lines: list[str] = []
    for name, value in mapping.items():
        if isinstance(value, dict) and value:
            lines += [f"{indent}{_text(name)}:", *_mapping_lines(value, indent + "  ")]
        elif isinstance(value, list) and any(isinstance(item, dict) for item in value):
            lines += [f"{indent}{_text(name)}:", *(f"{indent}- {_flow(item)}" for item in value)]
        else:
            lines.append(f"{indent}{_text(name)}: {_flow(value)}")
    return lines


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
