"""`gpo serve`: the vLLM server that a spec needs."""

import signal
from types import FrameType
from typing import TYPE_CHECKING, Annotated

import typer

from gpocli.cli.console import error_console, print_lines
from gpocli.cli.spec_command import reads_spec

if TYPE_CHECKING:
    from gpocli.spec.sources import SpecSources

Print = Annotated[bool, typer.Option("--print", help="Print the command, and start nothing.")]
More = Annotated[
    list[str] | None,
    typer.Option("--vllm", help="An option more of vllm serve, as --vllm=--tensor-parallel-size=2; repeats."),
]


@reads_spec
def serve_command(sources: "SpecSources", only_print: Print = False, more: More = None) -> None:
    """Start the vLLM server that a spec needs (sampling.vllm), and wait with it until Ctrl-C.

    It has exactly the options that the run needs: the model under its name, processed log-probabilities, the weight
    transfer of sampling.vllm.sync, and the development endpoints by which weights arrive.
    """
    from gpocli.serving.command import has_gpu, serve_command
    from gpocli.serving.process import ServerProcess
    from gpocli.spec.sources import draft_run_spec

    spec = draft_run_spec(sources).loaded().spec
    command = serve_command(spec, more or (), on_gpu=has_gpu())
    if only_print:
        print_lines(str(command))
        return
    assert spec.sampling.vllm is not None
    server = ServerProcess(command)
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        server.start()
        server.wait_until_up(float("inf"), _say)
        _say(f"vLLM serves '{spec.sampling.vllm.model or spec.model.name}' at {command.url}; Ctrl-C ends it")
        server.join()
    finally:
        server.stop()


def _say(text: str) -> None:
    error_console.print(text, markup=False, soft_wrap=True)


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt
