"""Options are shown with their meaning, default and bounds, however the author wrote them down."""

from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

from gpocli.contracts.option_docs import OptionDoc, option_docs, phrase


class Base(BaseModel):
    start: int = Field(0, ge=0)
    """Where it starts."""


class Options(Base):
    """Options of the tests."""

    share: float = Field(gt=0, le=1, description="How much.")
    mode: Literal["all", "some"] = "all"
    """Which."""
    limit: int | None = None
    names: list[str] = Field(default_factory=list)
    anything: Any = Field("", alias="what")


def test_docstrings_descriptions_and_inherited_options():
    assert option_docs(Options) == [
        OptionDoc("start", "a whole number at least 0", "0", "Where it starts."),
        OptionDoc("share", "a number above 0, at most 1", None, "How much."),
        OptionDoc("mode", "one of all, some", "all", "Which."),
        OptionDoc("limit", "a whole number, or null", "null", None),
        OptionDoc("names", "a list", "[]", None),
        OptionDoc("what", "any value", '""', None),
    ]


def test_types_that_json_has_no_word_for():
    class Odd(BaseModel, arbitrary_types_allowed=True):
        owner: Annotated[object, "any"] = None
        pattern: complex | None = None
        made: slice = slice(2)

    assert [option.wanted for option in option_docs(Odd)] == ["any value"] * 3
    assert option_docs(Odd)[2].default == "slice(None, 2, None)"


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "integer", "minimum": 1, "maximum": 5}, "a whole number from 1 to 5"),
        ({"type": "number", "exclusiveMinimum": 0}, "a number above 0"),
        ({"type": "number", "exclusiveMaximum": 2.5}, "a number below 2.5"),
        ({"anyOf": [{"type": "null"}, {"type": "boolean"}]}, "true or false, or null"),
        ({"$ref": "#/$defs/Mode"}, "one of a, b"),
        ({"const": "x"}, "x"),
        ({}, "any value"),
    ],
)
def test_words_for_a_schema(schema, words):
    assert phrase(schema, {"Mode": {"enum": ["a", "b"]}}) == words
