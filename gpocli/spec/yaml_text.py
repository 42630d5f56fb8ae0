"""Reading YAML 1.2 into plain values, with the place of each and with every duplicate key.

Works on the parsed nodes rather than on ruamel's own values: dates stay text, `1e-6` is a number, and
`no`, `off` and `yes` are text, as YAML 1.2 has it. JSON is read by the same road, as it is YAML.
"""

import io
import re
from dataclasses import dataclass, field
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode
from ruamel.yaml.reader import ReaderError

from gpocli.spec.fault import Fault
from gpocli.spec.layer import Key, Place, dotted

_TAG = "tag:yaml.org,2002:"
# dates are text here; "=" has a tag of its own
_TEXT_TAGS = {_TAG + "str", _TAG + "timestamp", _TAG + "value"}
_MAPPING_TAG, _LIST_TAG, _MERGE_TAG = _TAG + "map", _TAG + "seq", _TAG + "merge"
_SURROGATE_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")


class TextError(Exception):
    """Text that cannot be read at all; `place` is where, the message what is wrong and what to write."""

    def __init__(self, place: Place, text: str) -> None:
        super().__init__(text)
        self.place = place


@dataclass
class ReadText:
    """What a text held: its value, the place of each part, and the faults that did not stop the reading."""

    value: Any
    places: dict[Key, Place] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)


def read_yaml(text: str, source: str) -> ReadText:
    """Read `text`; `source` names it in places. Raises TextError where it is not YAML."""
    try:
        node = YAML(typ="safe", pure=True).compose(io.StringIO(text))
    except MarkedYAMLError as error:
        mark = error.context_mark if _never_closed(error) else error.problem_mark
        place = Place(source, mark.line + 1, mark.column + 1) if mark else Place(source)
        raise TextError(place, _what_is_wrong(error)) from error
    except ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        column = error.position - (text.rfind("\n", 0, error.position) + 1) + 1
        wrong = f"holds the control character U+{ord(text[error.position]):04X}; remove it"
        raise TextError(Place(source, line, column), wrong) from error
    read = ReadText(None)
    if node is not None:
        read.value = _Converter(read, source).convert(node, ())
    return read


def _what_is_wrong(error: MarkedYAMLError) -> str:
    problem = error.problem or error.context or "it cannot be read"
    if "'\\t'" in problem:
        return "a tab cannot indent YAML; write spaces"
    if first := re.match(r"found character '(.)' that cannot start any token", problem):
        return f"a value cannot start with {first[1]}; put it in quotes"
    if "mapping values are not allowed" in problem or re.search(r"expected ',' or '[]}]', but got ':'", problem):
        return "a colon and a space make a key of what stands before them; put a text with them in quotes"
    if "another document" in problem:
        return "a second document starts here; write one document"
    if "undefined alias" in problem:
        return f"{problem}; write its anchor before it, or put the text in quotes"
    if _never_closed(error):
        return "what opens here is never closed; close the bracket or quote"
    return f"not valid YAML: {problem}; mend it here"


def _never_closed(error: MarkedYAMLError) -> bool:
    at_the_end = "stream end" in str(error.problem) or "end of stream" in str(error.problem)
    return at_the_end and error.context_mark is not None


class _Converter:
    """Turns nodes into plain values, noting places and faults in `read`."""

    def __init__(self, read: ReadText, source: str) -> None:
        self.read = read
        self.source = source
        self.open: list[Node] = []

    def convert(self, node: Node, key: Key) -> Any:
        self.read.places.setdefault(key, self.place(node))
        if any(node is parent for parent in self.open):  # an alias is the very node of its anchor
            return self.fault(node, key, "an alias stands inside its own anchor; write the value out")
        if isinstance(node, ScalarNode):
            return self.scalar(node, key)
        self.open.append(node)
        value: Any = None
        if isinstance(node, MappingNode) and node.tag == _MAPPING_TAG:
            value = self.mapping(node, key)
        elif isinstance(node, SequenceNode) and node.tag == _LIST_TAG:
            value = self.sequence(node, key)
        else:
            self.fault(node, key, f"the tag {node.tag} is not supported; write a plain value")
        self.open.pop()
        return value

    def place(self, node: Node) -> Place:
        return Place(self.source, node.start_mark.line + 1, node.start_mark.column + 1)

    def fault(self, node: Node, key: Key, text: str) -> None:
        self.read.faults.append(Fault(self.place(node), dotted(key), text))

    def sequence(self, node: SequenceNode, key: Key) -> list[Any]:
        return [self.convert(item, (*key, i)) for i, item in enumerate(node.value)]

    def mapping(self, node: MappingNode, key: Key) -> dict[str, Any]:
        values: dict[str, Any] = {}
        first: dict[str, Place] = {}
        for name_node, value_node in node.value:
            if not isinstance(name_node, ScalarNode):
                self.fault(name_node, key, "a key is a list or a mapping; write text")
                continue
            if name_node.tag == _MERGE_TAG:
                self.fault(name_node, key, "merge keys (<<) are not supported; write the keys out")
                continue
            name = _text(name_node.value)
            here = (*key, name)
            if name in values:
                before = first[name]
                text = f"is there already, in line {before.line}, column {before.column}; remove one of the two"
                self.fault(name_node, here, text)
                continue
            first[name] = self.read.places[here] = self.place(name_node)
            values[name] = self.convert(value_node, here)
        return values

    def scalar(self, node: ScalarNode, key: Key) -> Any:
        value = node.value
        match str(node.tag).removeprefix(_TAG):
            case "null":
                return None
            case "bool":
                return value.lower() == "true"
            case "int":
                return _integer(value)
            case "float":
                return float(value.replace("_", "").lower().replace(".inf", "inf").replace(".nan", "nan"))
        if node.tag not in _TEXT_TAGS:
            return self.fault(node, key, f"the tag {node.tag} is not supported; write a plain value")
        return _text(value)


def _integer(text: str) -> int | str:
    digits = text.replace("_", "").lower()
    bases = {"0x": 16, "0o": 8, "0b": 2}
    try:
        return int(digits, bases.get(digits.lstrip("+-")[:2], 10))
    except ValueError:  # a prefix without digits, or more of them than Python reads
        return text


def _text(value: str) -> str:
    """Join the halves of a character that JSON writes as two escapes."""
    return _SURROGATE_PAIR.sub(lambda pair: pair[0].encode("utf-16", "surrogatepass").decode("utf-16"), value)
