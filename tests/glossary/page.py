"""The tables of docs/metrics.md as the glossary has them; `python -m tests.glossary.page` writes them into the page."""

import re
from collections.abc import Sequence
from pathlib import Path

from gpocli.glossary import entries

PAGE = Path(__file__).parents[2] / "docs" / "metrics.md"


def populations() -> str:
    rows = [(one.name, one.meaning) for one in entries().values() if one.population]
    return _table(("population", "which"), rows)


def words() -> str:
    rows = [(one.name, one.meaning) for one in entries().values() if one.kind == "word" and not one.population]
    return _table(("word", "what"), rows)


def of_training() -> str:
    heads = ("name", "population", "what", "unit", "healthy", "where", "eval")
    rows = [
        (f"`{one.name}`", one.of or "-", one.meaning, one.unit or "-", one.healthy, one.where, "✓" if one.eval else "")
        for one in entries().values()
        if one.kind == "metric" and not _is_of_the_end(one.where)
    ]
    return _table(heads, rows)


def of_the_end() -> str:
    rows = [
        (f"`{one.name}`", one.meaning, one.unit or "-")
        for one in entries().values()
        if one.kind == "metric" and _is_of_the_end(one.where)
    ]
    return _table(("name", "what", "unit"), rows)


def tables(page: str) -> list[str]:
    """The tables of a page, in its order."""
    return re.findall(r"(?:^\|.*\|\n)+", page, flags=re.MULTILINE)


def wanted() -> list[str]:
    return [populations(), words(), of_training(), of_the_end()]


def _is_of_the_end(where: str) -> bool:
    return where in ("an evaluation", "the end")


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "".join(f"| {' | '.join(line)} |\n".replace("|  |", "| |") for line in lines)


if __name__ == "__main__":
    text = PAGE.read_text(encoding="utf-8")
    for old, new in zip(tables(text), wanted(), strict=True):
        text = text.replace(old, new)
    PAGE.write_text(text, encoding="utf-8")
