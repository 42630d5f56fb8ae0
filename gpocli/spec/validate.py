"""Checking merged data against the models, and finding every fault in it at once."""

from collections.abc import Iterable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from gpocli.spec.algorithms import why_missing
from gpocli.spec.fault import Fault, FaultKind
from gpocli.spec.fields import wanted_at
from gpocli.spec.layer import Key, Place, dotted
from gpocli.spec.merge import Merged
from gpocli.spec.messages import wrong_value
from gpocli.spec.run_spec import RunSpec
from gpocli.spec.suggest import meant_by, unknown_key

_CHARACTERS = {
    "\0": ("a NUL", "\\0"),
    "\a": ("a bell", "\\a"),
    "\b": ("a backspace", "\\b"),
    "\v": ("a vertical tab", "\\v"),
    "\f": ("a form feed", "\\f"),
    "\r": ("a carriage return", "\\r"),
    "\x1b": ("an escape character", "\\e"),
}


@dataclass(frozen=True, slots=True)
class Validated:
    """What checking came to.

    With faults, `spec` has defaults in place of what is wrong (None where even that failed), and `doubtful` are
    the keys that were taken out.
    """

    spec: RunSpec | None
    faults: list[Fault]
    doubtful: tuple[Key, ...] = ()


def validate(merged: Merged) -> Validated:
    """Build the run spec of `merged`, or of its sound parts, and say all that is wrong with it."""
    faults = list(_odd_characters(merged))
    try:
        spec = RunSpec.model_validate(merged.data)
    except ValidationError as error:
        found = _all_faults(merged, error)
        return Validated(found.spec, faults + found.faults, found.doubtful)
    return Validated(spec, faults)


def _all_faults(merged: Merged, error: ValidationError) -> Validated:
    """Word the faults of `error`, and those that it hides.

    A rule over several fields is only checked once each of them is sound. So what is faulty is taken out
    and the rest checked again, as long as this brings up rules that read nothing of what was taken out.
    """
    algorithm = merged.algorithm()
    faults: list[Fault] = []
    removed: list[Key] = []
    doubtful: list[Key] = []
    data = deepcopy(merged.data)
    for first in (True, False, False, False):  # bounded, for a fault may stay whatever is taken out
        for details in error.errors(include_url=False):
            if _is_noise(details):
                continue
            reads = _reads(details, algorithm)
            if first or (details["type"] == "rule" and not touches(reads, removed)):
                faults.append(_fault(details, reads, merged, algorithm))
            removed.extend(reads)  # of a rule all that it reads, for nobody knows which of them is wrong
            if details["type"] == "extra_forbidden":
                doubtful.extend(meant_by(reads[0], algorithm))
        for key in removed:
            _remove(data, key)
        try:
            return Validated(RunSpec.model_validate(data), faults, (*removed, *doubtful))
        except ValidationError as next_error:
            error = next_error
    return Validated(None, faults, (*removed, *doubtful))


def _is_noise(details: ErrorDetails) -> bool:
    """Whether another fault says it better: half a character, or a list that may also be a single word."""
    of_a_union = str(details["loc"][-1]).startswith("literal[")
    return details["type"] == "string_unicode" or (of_a_union and isinstance(details["input"], list))


def _reads(details: ErrorDetails, algorithm: str) -> list[Key]:
    """The keys whose values an error is about, the one to report first."""
    key, _ = wanted_at(details["loc"], algorithm)
    if details["type"] != "rule":
        missing_type = details["type"].startswith("union_tag")
        return [(*key, "type") if missing_type else key]
    section = key[: len(key) - details["ctx"]["depth"]]
    others = [(*section, *name.split(".")) for name in details["ctx"]["reads"]]
    return [key, *(other for other in others if other != key)]


def _fault(details: ErrorDetails, reads: list[Key], merged: Merged, algorithm: str) -> Fault:
    key = reads[0]
    kind: FaultKind = "spec"
    if details["type"] == "rule":
        key = merged.newest(reads) or key
        text = details["msg"]
    elif details["type"] == "extra_forbidden":
        text = unknown_key(key, algorithm)
    elif details["type"] == "union_tag_invalid" and (plugin := why_missing(str(details["input"].get("type")))):
        kind, text = "plugin", plugin
    else:
        text = wrong_value(details["type"], details["input"], wanted_at(details["loc"], algorithm)[1])
    return Fault(merged.place_of(key) or Place("run spec"), dotted(key), text, kind)


def touches(keys: Iterable[Key], others: Iterable[Key]) -> bool:
    """Whether any of `keys` is one of `others`, or above or below it."""
    return any(a[: len(b)] == b or b[: len(a)] == a for a in keys for b in others)


def _remove(data: Any, key: Key) -> None:
    """Take out the value at `key`, or the whole list that it stands in; the type takes the algorithm along."""
    names = key[:-1] if key == ("algorithm", "type") else key
    # without one entry the others would have other numbers, by which their places are known
    in_list = next((i for i, part in enumerate(names) if isinstance(part, int)), len(names))
    *above, last = names[:in_list]
    for name in above:
        data = data.get(name) if isinstance(data, dict) else None
    if isinstance(data, dict):
        data.pop(last, None)


def _odd_characters(merged: Merged) -> Iterator[Fault]:
    for key, text in _texts(merged.data, ()):
        # "C:\runs" in double quotes holds a carriage return, which no path is meant to have
        odd = next((c for c in text if (c < " " and c not in "\n\t") or "\ud800" <= c <= "\udfff"), None)
        if odd is None:
            continue
        place = merged.place_of(key) or Place("run spec")
        if odd in _CHARACTERS:
            name, escape = _CHARACTERS[odd]
            hint = f'holds {name}, as "{escape}" makes in double quotes; write "\\{escape}" for a backslash'
        else:
            hint = f"holds the character U+{ord(odd):04X}; remove it"
        yield Fault(place, dotted(key), hint)


def _texts(value: Any, key: Key) -> Iterator[tuple[Key, str]]:
    if isinstance(value, str):
        yield key, value
    elif isinstance(value, dict):
        for name, item in value.items():
            yield from _texts(item, (*key, name))
    elif isinstance(value, list):
        for i, item in enumerate(value):
            yield from _texts(item, (*key, i))
