"""The spec of a run as plain values, read fast: of a thousand runs in a second, without plugins and without checks."""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from gpocli.errors import SpecError

_SECTION = re.compile(r"^(?=\w+:)", re.MULTILINE)
_FLOAT = re.compile(r"[-+]?[0-9]+(\.[0-9]*)?[eE][-+]?[0-9]+")


def read_written_spec(path: Path, sections: Sequence[str] = ()) -> dict[str, Any]:
    """The sections of a `spec.yaml` that gpo wrote, which holds every setting; all, or these. Raises SpecError."""
    import yaml

    try:
        text = path.read_text(encoding="utf-8")
        read = yaml.load(_cut_out(text, sections) if sections else text, _loader())
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise SpecError(f"cannot read '{path}'; it is not as gpo wrote it") from error
    if not isinstance(read, dict):
        raise SpecError(f"'{path}' holds no settings; it is not as gpo wrote it")
    return read


def flat_settings(spec: Mapping[str, Any], above: str = "") -> dict[str, Any]:
    """Settings by their dotted path: `{"optim.learning_rate": 1e-06}`. Lists are one value."""
    flat: dict[str, Any] = {}
    for name, value in spec.items():
        path = f"{above}{name}"
        if isinstance(value, dict) and value:
            flat |= flat_settings(value, f"{path}.")
        else:
            flat[path] = value
    return flat


def _cut_out(text: str, sections: Sequence[str]) -> str:
    """The lines of these sections; a section begins with its name at the left, and its lines are further in."""
    parts = [part for part in _SECTION.split(text) if part.partition(":")[0] in sections]
    return "".join(parts) or text


@cache
def _loader() -> Any:
    import yaml

    class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
        """Reads `1e-05` as a number, as YAML 1.2 does."""

    Loader.add_implicit_resolver("tag:yaml.org,2002:float", _FLOAT, list("-+0123456789"))
    return Loader
