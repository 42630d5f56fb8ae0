"""`gpo report`: runs as one HTML file to look at and to send."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gpocli.cli.console import print_json, print_lines
from gpocli.cli.spec_command import AsJson

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gpocli.runs.run import Run

RunPaths = Annotated[list[Path], typer.Argument(metavar="RUN...", help="Run directories.", show_default=False)]
To = Annotated[Path, typer.Option("--to", help="The file.", metavar="FILE")]
Live = Annotated[bool, typer.Option("--live", help="Serve it on this machine while runs go on.")]
Port = Annotated[int, typer.Option("--port", min=0, max=65535, help="For --live; 0: any.", metavar="N")]


def report_command(
    paths: RunPaths, to: To = Path("report.html"), live: Live = False, port: Port = 8020, as_json: AsJson = False
) -> None:
    """Write runs as one HTML file without scripts, which needs no network: curves, lengths, examples, settings."""
    from gpocli.report.drawing import require_drawing
    from gpocli.runs.run import Run

    runs = [Run.find(path) for path in paths]
    require_drawing()
    if live:
        _serve(runs, port)
    else:
        _write(runs, to, as_json)


def _write(runs: "Sequence[Run]", to: Path, as_json: bool) -> None:
    from gpocli.errors import EnvironmentFault
    from gpocli.report.page import report
    from gpocli.runs.listing import show_size

    text = report(runs)
    try:
        to.write_text(text, encoding="utf-8")
    except OSError as error:
        raise EnvironmentFault(f"cannot write '{to}' ({error.strerror}); name another file with --to") from error
    size = to.stat().st_size
    if as_json:
        print_json({"runs": [str(run.path) for run in runs], "file": str(to), "size": size})
    else:
        print_lines(f"{to}: {show_size(size)}")


def _serve(runs: "Sequence[Run]", port: int) -> None:
    from gpocli.report.live import serve

    with serve(runs, port) as server:
        print_lines(f"http://127.0.0.1:{server.server_port} until Ctrl-C")
        server.serve_forever()
