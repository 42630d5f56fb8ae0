"""The vLLM server of a run that starts its own."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from gpocli.runs.directory import RunDirectory
from gpocli.spec import RunSpec


@contextmanager
def own_server(spec: RunSpec, directory: RunDirectory, note: Callable[[str], None], *, is_main: bool) -> Iterator[None]:
    """A server that is up inside, with its log in the run directory; none unless `sampling.vllm.start` asks for it.

    Raises `EnvironmentFault` when it cannot be started.
    """
    server = spec.sampling.vllm
    if server is None or not server.start or not is_main:
        yield
        return
    from gpocli.serving.command import has_gpu, serve_command
    from gpocli.serving.process import server_of_a_run

    with server_of_a_run(serve_command(spec, on_gpu=has_gpu()), directory.path / "vllm.log", server.wait, note):
        yield
