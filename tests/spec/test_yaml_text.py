import pytest

from gpocli.spec.layer import Place
from gpocli.spec.yaml_text import TextError, read_yaml


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1e-6", 1e-6),
        ("1E5", 100000.0),
        (".5", 0.5),
        ("-.inf", float("-inf")),
        ("1_000", 1000),
        ("0x1F", 31),
        ("-0o17", -15),
        ("010", 10),
        ("~", None),
        ("null", None),
        ("True", True),
        ("no", "no"),
        ("off", "off"),
        ("yes", "yes"),
        ("NO", "NO"),
        ("1:30", "1:30"),
        ("2024-05-01", "2024-05-01"),
        ("'5'", "5"),
        ("!!str 5", "5"),
        ("[a, 1, null]", ["a", 1, None]),
        ("{a: {b: 1}}", {"a": {"b": 1}}),
        ('"\\ud83d\\ude00"', "😀"),
        ("''", ""),
    ],
)
def test_values_are_those_of_yaml_1_2(text, value):
    assert read_yaml(text, "f").value == value


def test_anchors_repeat_a_value():
    assert read_yaml("a: &x [1]\nb: *x\n", "f").value == {"a": [1], "b": [1]}


def test_places_are_those_of_keys_and_items():
    places = read_yaml("a:\n  b: 1\n  c:\n  - 2\n  - {d: 3}\n", "f").places
    assert places[("a", "b")] == Place("f", 2, 3)
    assert places[("a", "c", 0)] == Place("f", 4, 5)
    assert places[("a", "c", 1, "d")] == Place("f", 5, 6)


def test_every_duplicate_is_found():
    read = read_yaml("a: 1\nb: {c: 1, c: 2}\na: 3\n", "f")
    assert [str(fault) for fault in read.faults] == [
        "f:2:11: b.c: is there already, in line 2, column 5; remove one of the two",
        "f:3:1: a: is there already, in line 1, column 1; remove one of the two",
    ]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("a: !secret x", "f:1:4: a: the tag !secret is not supported; write a plain value"),
        ("a: !set {x: 1}", "f:1:4: a: the tag !set is not supported; write a plain value"),
        ("<<: {a: 1}", "f:1:1: merge keys (<<) are not supported; write the keys out"),
        ("a: &x [*x]", "f:1:4: a.0: an alias stands inside its own anchor; write the value out"),
        ("? [a]\n: 1", "f:1:3: a key is a list or a mapping; write text"),
    ],
)
def test_what_a_spec_cannot_use_is_named(text, fault):
    assert [str(found) for found in read_yaml(text, "f").faults] == [fault]


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("a:\n\tb: 1", "f:2:1", "a tab cannot indent YAML; write spaces"),
        ("a: @b", "f:1:4", "a value cannot start with @; put it in quotes"),
        ("a: `b`", "f:1:4", "a value cannot start with `; put it in quotes"),
        (
            "a: b: c",
            "f:1:5",
            "a colon and a space make a key of what stands before them; put a text with them in quotes",
        ),
        ("a: 1\n---\nb: 2", "f:2:1", "a second document starts here; write one document"),
        ("a: [1", "f:1:4", "what opens here is never closed; close the bracket or quote"),
        ("a: 'x", "f:1:4", "what opens here is never closed; close the bracket or quote"),
        ("a: *x", "f:1:4", "found undefined alias 'x'; write its anchor before it, or put the text in quotes"),
        ("a: 1\nb: x\x0cy", "f:2:5", "holds the control character U+000C; remove it"),
        ("a: }", "f:1:4", "not valid YAML: expected the node content, but found '}'; mend it here"),
    ],
)
def test_text_that_is_not_yaml(text, place, message):
    with pytest.raises(TextError) as caught:
        read_yaml(text, "f")
    assert (str(caught.value.place), str(caught.value)) == (place, message)


@pytest.mark.parametrize("text", ["0x", "-0x", "0b", "0o", "9" * 5000])
def test_what_only_looks_like_a_whole_number_is_text(text):
    assert read_yaml(f"a: {text}\n", "run.yaml").value == {"a": text}
