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
        """The text without regard to capitals, except in symbols and choices, of one or two letters; "no" is a word."""
        folded = self.text.casefold()
        return folded if len(folded) > 2 or folded == "no" else self.text

    @property
    def is_prose(self) -> bool:
        """Whether these are several bare words: no answer that can be checked."""
        return self.plain and self.words > 1

    @property
    def words(self) -> int:
        """How many words it has."""
        return self.text.count(" ") + 1


@dataclass(frozen=True, slots=True)
class Expression:
    """LaTeX that is no single number. `unit` as for a number."""

    latex: str
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Relation:
    r"""Sides joined by `=`, `<`, `\le` and so on.

    `name` and `value` are set where the relation only names its last side: `x` and 5 for `x = 2 + 3 = 5`. `total` is
    the number that a sum of names is: 42 for `m + n = 42`. `interval`: what an inequality says of its variable,
    and `is_set` that it was written as the set of what fulfils it.
    """

    sides: tuple[str, ...]
    signs: tuple[str, ...]
    name: str = ""
    value: "Form | None" = None
    total: "Form | None" = None
    interval: "Collection | None" = None
    is_set: bool = False


@dataclass(frozen=True, slots=True)
class Rounded:
    r"""A value and what it is rounded to, `\frac{100}{3} \approx 33.33`, with the decimal places that were written.

    `places` is None where the rounded value is no decimal number.
    """

    exact: "Form"
    value: "Form"
    places: int | None


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


Form = Quantity | Word | Expression | Relation | Rounded | Collection | Union | Matrix
