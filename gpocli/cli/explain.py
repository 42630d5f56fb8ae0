"""`gpo explain`: what a figure, a word of the display, an exit code, a guard or a message means."""

from typing import TYPE_CHECKING, Annotated

import typer

from gpocli.cli.completion import complete_explained
from gpocli.cli.console import print_json, print_lines
from gpocli.cli.trial_view import AsJson

if TYPE_CHECKING:
    from gpocli.glossary import Entry

Name = Annotated[
    str | None,
    typer.Argument(
        metavar="METRIC|ERROR",
        help="A name of metrics.jsonl or of the display, an exit code, a guard, or a message.",
        show_default=False,
        autocompletion=complete_explained,
    ),
]


def explain_command(name: Name = None, as_json: AsJson = False) -> None:
    """Explain a figure, a word of the display, an exit code, a guard or a message; without a name, list all."""
    from dataclasses import asdict

    from gpocli.glossary import entries, find

    known = [*entries().values(), *guard_entries()]
    if name is None:
        print_json([asdict(one) for one in known]) if as_json else print_lines(*_listed(known))
        return
    entry = find(name, guard_entries())
    print_json(asdict(entry)) if as_json else print_lines(*_lines(entry))


def guard_entries() -> "list[Entry]":
    """An entry for each guard there is, from what it says of itself."""
    from gpocli.glossary import Entry
    from gpocli.plugin_manager import load_plugins

    return [
        Entry(name, "guard", one.extension.summary, where=one.extension.action, cure=f"`gpo guards show {name}`")
        for name, one in load_plugins().guards.items()
    ]


def _listed(known: "list[Entry]") -> list[str]:
    kinds = dict.fromkeys(one.kind for one in known)
    return [f"{kind}s: {', '.join(one.name for one in known if one.kind == kind)}" for kind in kinds]


def _lines(entry: "Entry") -> list[str]:
    from gpocli.glossary import entries

    title = entry.name if entry.kind == "exit code" else f"{entry.kind} {entry.name}"
    of = entry.of
    if of in entries():
        of = f"{of}, {entries()[of].meaning}"
    where = f"{entry.where}; by evaluations as eval_{entry.name}" if entry.eval else entry.where
    parts = [
        ("unit", entry.unit),
        ("of", of),
        ("action" if entry.kind == "guard" else "where", where),
        ("healthy", entry.healthy),
        ("what to do" if entry.kind != "guard" else "more", entry.cure),
    ]
    return [f"{title}: {entry.meaning}", *(f"{heading}: {text}" for heading, text in parts if text)]
