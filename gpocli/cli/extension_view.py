"""How filters and rewards are listed and shown: name, origin, options; as text for people or as JSON."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from gpocli.cli.console import console, plain_table, print_json, print_lines, print_table

if TYPE_CHECKING:
    from gpocli.plugin_manager import PluginHost, Registered


def list_extensions(found: Mapping[str, "Registered[Any]"], host: "PluginHost", kind: str, *, as_json: bool) -> None:
    """Print the filters or rewards there are, each with its origin, and what cannot be used and why."""
    if as_json:
        print_json([_summary_of(one) for one in found.values()])
        return
    rows = [(name, _from(one), one.extension.summary) for name, one in found.items()]
    print_table(plain_table(("name", "from", "summary"), rows))
    print_lines(*(clash for clash in host.clashes if clash.startswith(f"{kind} ")), *map(str, host.broken))


def show_extension(found: "Registered[Any]", kind: str, needs: Mapping[str, str], *, as_json: bool) -> None:
    """Print one filter or reward with its options; `needs` are further lines, by their heading."""
    from gpocli.contracts.option_docs import option_docs

    options = option_docs(found.extension.options)
    if as_json:
        described = [
            {"name": one.name, "wanted": one.wanted, "default": one.default, "doc": one.doc} for one in options
        ]
        print_json({**_summary_of(found), "options": described, **needs})
        return
    print_lines(f"{kind} {found.extension.name}: {found.extension.summary}", f"from: {_place(found)}")
    print_lines(*(f"{heading}: {text}" for heading, text in needs.items()))
    print_lines("options:" if options else "options: none")
    for one in options:
        default = "must be given" if one.default is None else f"default {one.default}"
        print_lines(f"  {one.name}: {one.wanted}; {default}")
        _print_indented(one.doc or "(without a description)")


def _print_indented(text: str) -> None:
    from rich.padding import Padding
    from rich.text import Text

    if console.is_terminal:
        console.print(Padding(Text(" ".join(text.split())), (0, 0, 0, 4)))
    else:
        print_lines("    " + " ".join(text.split()))


def _summary_of(found: "Registered[Any]") -> dict[str, Any]:
    extension = found.extension
    return {
        "name": extension.name,
        "summary": extension.summary,
        "plugin": found.plugin,
        "distribution": found.distribution,
        "version": found.version,
        "file": found.file,
        "options": list(extension.options.model_fields),
    }


def _from(found: "Registered[Any]") -> str:
    return found.plugin if found.distribution is None else f"{found.distribution} {found.version}"


def _place(found: "Registered[Any]") -> str:
    file = "" if found.file is None else f", {found.file}"
    return f"{found.file or found.plugin}" if found.distribution is None else f"{found.origin}{file}"
