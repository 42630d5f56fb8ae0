"""`gpo export`: the model of a run as a folder that others load, with a card, here or on a hub."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from gpocli.cli.console import print_json, print_lines
from gpocli.cli.spec_command import AsJson

if TYPE_CHECKING:
    from gpocli.runs.run import Run
    from gpocli.sharing.export import Exported, ExportOptions

HUB = "hub:"
FORMAT = 1
Dtype = Literal["float32", "bfloat16", "float16"]


def export_command(
    run: Annotated[Path, typer.Argument(help="A run directory.", show_default=False)],
    merge: Annotated[bool, typer.Option("--merge", help="Merge a LoRA adapter into its base.")] = False,
    dtype: Annotated[
        Dtype | None,
        typer.Option("--dtype", help="Type of the weights [dim]\\[default: as saved][/dim].", show_default=False),
    ] = None,
    checkpoint: Annotated[
        int | None,
        typer.Option("--checkpoint", help="Step of a checkpoint [dim]\\[default: the final model][/dim].", min=1),
    ] = None,
    to: Annotated[
        str | None,
        typer.Option("--to", help="A folder, or hub:ID [dim]\\[default: export in the run][/dim].", metavar="PLACE"),
    ] = None,
    base: Annotated[str | None, typer.Option("--base", help="Hub id of the model that an adapter is for.")] = None,
    public: Annotated[bool, typer.Option("--public", help="Let all see a repository that is made.")] = False,
    as_json: AsJson = False,
) -> None:
    """Write the model of a run as a folder that transformers and vLLM load, with a card that tells how it was made.

    Optimizer, random states and paths of this machine are left out. An adapter stays one without --merge. Nothing is
    overwritten; hub:ID makes a private repository where there is none.
    """
    from gpocli.runs.run import Run
    from gpocli.sharing.export import ExportOptions

    if public and not (to or "").startswith(HUB):
        raise typer.BadParameter("--public is for a repository; write --to hub:ID as well")
    options = ExportOptions(checkpoint, merge, dtype, base)
    found = Run.find(run)
    if to is not None and to.startswith(HUB):
        _to_hub(found, to.removeprefix(HUB), options, private=not public, as_json=as_json)
        return
    _to_folder(found, _target(found, to, checkpoint), options, as_json=as_json)


def _target(run: "Run", to: str | None, checkpoint: int | None) -> Path:
    if to is not None:
        return Path(to).expanduser()
    return run.path / ("export" if checkpoint is None else f"export-{checkpoint}")


def _to_folder(run: "Run", target: Path, options: "ExportOptions", *, as_json: bool) -> None:
    from gpocli.sharing.export import export, source_of

    made = export(run, source_of(run, options), target, options)
    _say(run, made, options, str(target), None, as_json=as_json)


def _to_hub(run: "Run", repo: str, options: "ExportOptions", *, private: bool, as_json: bool) -> None:
    import tempfile

    from gpocli.sharing.export import export, refuse_private_base, source_of
    from gpocli.sharing.hub import push, require_hub

    require_hub(repo)
    source = source_of(run, options)
    refuse_private_base(source, options)
    with tempfile.TemporaryDirectory() as folder:
        made = export(run, source, Path(folder) / "model", options)
        url = push(made.folder, repo, private=private, message=f"Export of {run.name} by gpo")
    _say(run, made, options, repo, url, as_json=as_json)


def _say(run: "Run", made: "Exported", options: "ExportOptions", place: str, url: str | None, *, as_json: bool) -> None:
    if as_json:
        print_json(_as_record(run, made, options, place, url))
        return
    for note in made.notes:
        print_lines(f"note: {note}")
    kind = "adapter" if made.is_adapter else "model"
    print_lines(f"exported: {url or place} ({kind}, {len(made.files)} files, {made.size / 1e6:,.1f} MB)")


def _as_record(run: "Run", made: "Exported", options: "ExportOptions", place: str, url: str | None) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "run": str(run.path),
        "checkpoint": options.checkpoint,
        "kind": "adapter" if made.is_adapter else "model",
        "to": place,
        "url": url,
        "files": made.files,
        "bytes": made.size,
        "notes": made.notes,
    }
