"""What an answer can be: a number, a word, an expression, a relation, a collection, a union or a matrix."""

from dataclasses import dataclass

from gpocli.maths.number import Quantity


@dataclass(frozen=True, slots=True)
class Word:
    """Text that is compared as text: a name, a choice, a time, a numeral with its base.

    `plain` is true for bare words, false for what is marked as text or has a form of its own.
    """

    text: str
    plain: bool

    @property
    def key(self) -> str:
        """The text without regard to capitals, except in symbols and choices, of one or two letters."""
        return self.text.casefold() if len(self.text) > 2 else self.text

    @property
    def is_prose(self) -> bool:
        """Whether these are several bare words: no answer that can be checked."""
        return self.plain and " " in self.text


@dataclass(frozen=True, slots=True)
class Expression:
    """LaTeX that is no single number. `unit` as for a number."""

    latex: str
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Relation:
    r"""Sides joined by `=`, `<`, `\le` and so on.

    `name` and `value` are set where the relation only names its last side: `x` and 5 for `x = 2 + 3 = 5`.
    """

    sides: tuple[str, ...]
    signs: tuple[str, ...]
    name: str = ""
    value: "Form | None" = None


@dataclass(frozen=True, slots=True)
class Collection:
    """Things in `opening` and `closing` brackets; bare lists (no brackets) and `{}` sets have no order."""

    opening: str
    closing: str
    items: tuple["Form", ...]

    @property
    def ordered(self) -> bool:
        """Whether the order of the items matters."""
        return self.opening in ("(", "[")


@dataclass(frozen=True, slots=True)
class Union:
    r"""Sets joined by `\cup`, in no order."""

    parts: tuple["Form", ...]


@dataclass(frozen=True, slots=True)
class Matrix:
    """Rows of items."""

    rows: tuple[tuple["Form", ...], ...]


Form = Quantity | Word | Expression | Relation | Collection | Union | Matrix
