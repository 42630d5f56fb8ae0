"""`gpo init`: a starter spec, and the schema beside it."""

import json
from pathlib import Path
from typing import Annotated

import typer

from gpocli.cli.completion import complete_algorithm
from gpocli.cli.console import print_lines


def init_command(
    path: Annotated[Path, typer.Argument(help="The file to write.")] = Path("run.yaml"),
    algorithm: Annotated[
        str, typer.Option("--algorithm", help="The method.", metavar="NAME", autocompletion=complete_algorithm)
    ] = "gfpo",
) -> None:
    """Write a commented starter spec, and the schema that editors complete it from; nothing is overwritten."""
    print_lines(*(f"written: {written}" for written in write_starter(path, algorithm)))
    print_lines(f"next: gpo check {path}")


def write_starter(path: Path, algorithm: str) -> list[Path]:
    """Write the starter to `path` and the schema beside it, and tell which files were written.

    A schema that is there already is renewed. Raises `SpecError` for a file in the way or an unknown algorithm.
    """
    from gpocli.errors import SpecError
    from gpocli.plugin_manager import load_plugins
    from gpocli.spec.new_file import write_new
    from gpocli.spec.schema import spec_schema
    from gpocli.spec.starter import SCHEMA_FILE, starter

    load_plugins().find("algorithm", algorithm)
    if path.suffix not in (".yaml", ".yml"):
        instead = path.with_suffix(".yaml") if path.name else path / "run.yaml"
        raise SpecError(f"'{path}' is not YAML, which a starter is written in; write {instead}")
    schema = path.parent / SCHEMA_FILE
    if schema.exists() and not _is_schema(schema):
        raise SpecError(f"'{schema}' is there already and not gpo's; move it, or name a file in another folder")
    write_new(path, starter(algorithm, str(path)))
    schema.write_text(json.dumps(spec_schema(), indent=2) + "\n", encoding="utf-8")
    return [path, schema]


def _is_schema(path: Path) -> bool:
    from gpocli.spec.schema import TITLE

    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return False
    return isinstance(found, dict) and found.get("title") == TITLE
