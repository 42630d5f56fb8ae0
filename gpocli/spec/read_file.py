"""Reading a spec file of any supported kind into a layer."""

import json
from collections.abc import Callable
from difflib import get_close_matches
from pathlib import Path

from gpocli.spec.fault import Fault
from gpocli.spec.layer import Layer, Place
from gpocli.spec.toml_text import read_toml
from gpocli.spec.yaml_text import ReadText, TextError, read_yaml

_KINDS = {list: "a list", str: "text", bool: "true or false", int: "a number", float: "a number"}


def read_json(text: str, source: str) -> ReadText:
    """Read `text`; `source` names it in places. Raises TextError where it is not JSON."""
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        wrong = f"not valid JSON: {error.msg[:1].lower()}{error.msg[1:]}; mend it here"
        raise TextError(Place(source, error.lineno, error.colno), wrong) from error
    return read_yaml(text.replace("\t", " "), source)  # JSON may indent with tabs, YAML may not


_READERS: dict[str, Callable[[str, str], ReadText]] = {
    ".yaml": read_yaml,
    ".yml": read_yaml,
    ".toml": read_toml,
    ".json": read_json,
}


def read_layer(path: Path, faults: list[Fault], name: str | None = None) -> Layer | None:
    """Read the spec file `path`, adding what is wrong with it to `faults`; None where it cannot be used.

    The layer, and the file in the places of its values, is called `name`, or as the file.
    """
    source = name or str(path)
    try:
        read = _read(path, source)
    except TextError as error:
        faults.append(Fault(error.place, "", str(error)))
        return None
    faults.extend(read.faults)
    start = read.places.get((), Place(source))
    if read.value is None:
        faults.append(Fault(start, "", "is empty; write at least algorithm: {type: gfpo}"))
        return None
    if not isinstance(read.value, dict):
        kind = _KINDS.get(type(read.value), "one value")
        faults.append(Fault(start, "", f"holds {kind} rather than keys; start with algorithm: {{type: gfpo}}"))
        return None
    return Layer(source, read.value, read.places)


def _read(path: Path, source: str) -> ReadText:
    place = Place(source)
    reader = _READERS.get(path.suffix.lower())
    try:
        content = path.read_bytes()
    except FileNotFoundError as error:
        raise TextError(place, f"there is no such file; {_near_file(path)}") from error
    except IsADirectoryError as error:
        raise TextError(place, "is a folder; name a file in it") from error
    except OSError as error:
        raise TextError(place, f"cannot be read ({error.strerror}); mend that, or name another file") from error
    if reader is None:
        raise TextError(place, f"has no known kind ('{path.suffix}'); name it .yaml, .yml, .toml or .json")
    try:
        text = content.decode("utf-8-sig")  # some editors put a byte order mark in front
    except UnicodeDecodeError as error:
        before = content[: error.start].decode("utf-8", "replace")
        place = Place(source, before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1)
        raise TextError(place, f"the byte 0x{content[error.start]:02x} is not UTF-8; save it as UTF-8") from error
    return ReadText(None) if not text.strip() else reader(text, source)


def _near_file(path: Path) -> str:
    try:
        names = [entry.name for entry in path.parent.iterdir() if entry.suffix.lower() in _READERS]
    except OSError:
        return f"there is no folder {path.parent} either"
    near = get_close_matches(path.name, names, n=1)
    return f"did you mean {path.parent / near[0]}?" if near else "check the path"
