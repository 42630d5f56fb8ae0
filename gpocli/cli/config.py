"""`gpo config`: the resolved spec, where each value came from, and the schema for editors."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

import typer

from gpocli.cli.console import print_json, print_lines
from gpocli.cli.spec_command import SpecCommand, reads_spec

if TYPE_CHECKING:
    from gpocli.spec.sources import SpecSources

app = typer.Typer(
    help="Show a run spec as it is resolved, and its schema.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    epilog="Layers, later ones on top: defaults, --preset, specs in order, GPO__SECTION__NAME variables, --set, flags.",
)


@app.command("show", cls=SpecCommand)
@reads_spec
def show_command(
    sources: "SpecSources",
    origin: Annotated[bool, typer.Option("--origin", help="Say where each value came from.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, values and origins by dotted path.")] = False,
) -> None:
    """Print the whole spec of a run, defaults included, as YAML that loads again."""
    from gpocli.spec.dump import dump_spec
    from gpocli.spec.sources import load_run_spec

    loaded = load_run_spec(sources)
    if as_json:
        print_json({path: {"value": value, "origin": origin} for path, value, origin in loaded.entries()})
        return
    origins = loaded.origins
    remark = (lambda path: origins_at(origins, path)) if origin else None
    print_lines(dump_spec(loaded.spec, remark).removesuffix("\n"))


def origins_at(origins: Mapping[str, str], path: str) -> str:
    """Where the values at and below `path` came from, each once; the default only where nothing else is."""
    found = [origin for p, origin in origins.items() if p == path or p.startswith(f"{path}.")]
    return ", ".join(dict.fromkeys(origin for origin in found if origin != "default")) or "default"


@app.command("schema")
def schema_command() -> None:
    """Print the JSON Schema of a run spec, for completion and checking in editors."""
    from gpocli.spec.schema import spec_schema

    print_json(spec_schema())
