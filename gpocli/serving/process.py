"""A vLLM server as a process of ours: started, waited for, and ended."""

import os
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from gpocli.errors import EnvironmentFault
from gpocli.serving.client import Control
from gpocli.serving.command import ServeCommand, require_vllm

_SECONDS_BETWEEN_WORDS = 10.0
_SECONDS_TO_END = 30.0
_RESTARTS = 3


class ServerProcess:
    """Runs `vllm serve`. `log` takes what it prints; None: it prints where this process does."""

    def __init__(self, command: ServeCommand, log: Path | None = None) -> None:
        self._command, self._log = command, log
        self._control = Control(command.url)
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Raises `EnvironmentFault` where vLLM is not installed, or another server answers at the address."""
        if self._control.is_up():
            raise EnvironmentFault(
                f"a server answers at {self._command.url} already; end it, or write another port in sampling.vllm.url"
            )
        arguments = [require_vllm(), *self._command.arguments[1:]]
        environment = {**self._command.environment, **os.environ}
        with self._output() as output:
            # With a log it is ours alone: Ctrl-C ends the run, which ends it.
            self._process = subprocess.Popen(
                arguments, env=environment, stdout=output, stderr=output, start_new_session=self._log is not None
            )

    def wait_until_up(self, seconds: float, note: Callable[[str], None]) -> None:
        """Wait with a word now and then. Raises `EnvironmentFault` when it ends, or is not up in time."""
        next_word = _SECONDS_BETWEEN_WORDS

        def tell(waited: float) -> None:
            nonlocal next_word
            if waited >= next_word:
                note(f"vLLM is loading at {self._command.url}, {waited:.0f} s")
                next_word = waited + _SECONDS_BETWEEN_WORDS

        if self._control.wait(seconds, tell, self.has_ended):
            return
        where = f"see {self._log}" if self._log else "see above"
        if self.has_ended():
            raise EnvironmentFault(f"vllm serve ended with {self._code()}{self._last_word()}; {where}")
        raise EnvironmentFault(
            f"vLLM is not up at {self._command.url} after {seconds:.0f} s; {where}, or raise sampling.vllm.wait"
        )

    def has_ended(self) -> bool:
        return self._process is None or self._process.poll() is not None

    def join(self) -> int:
        """Wait for its end; the exit code."""
        assert self._process is not None
        return self._process.wait()

    def stop(self) -> None:
        """End it, by force where it does not listen."""
        if self._process is None or self.has_ended():
            return
        self._process.terminate()
        try:
            self._process.wait(_SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    @contextmanager
    def _output(self) -> Iterator[IO[Any] | None]:
        if self._log is None:
            yield None
            return
        with self._log.open("ab") as output:
            yield output

    def _code(self) -> str:
        assert self._process is not None
        return f"exit code {self._process.returncode}"

    def _last_word(self) -> str:
        """The last error in the log, which tells more than a code."""
        if self._log is None:
            return ""
        lines = self._log.read_text(encoding="utf-8", errors="replace").splitlines()
        errors = [line.split("] ")[-1].strip() for line in lines if "Error" in line]
        return f" ({errors[-1][:200]})" if errors else ""


@contextmanager
def server_of_a_run(
    command: ServeCommand, log: Path, seconds: float, note: Callable[[str], None]
) -> Iterator[ServerProcess]:
    """A server that is up inside, ends with the block, and is started again when it dies."""
    server = ServerProcess(command, log)
    is_over = threading.Event()
    server.start()
    try:
        note(f"vLLM is started at {command.url}, its log is {log}")
        server.wait_until_up(seconds, note)
        keeper = threading.Thread(target=_keep, args=(server, is_over, note), daemon=True)
        keeper.start()
        yield server
    finally:
        is_over.set()
        server.stop()


def _keep(server: ServerProcess, is_over: threading.Event, note: Callable[[str], None]) -> None:
    for _ in range(_RESTARTS):
        while not server.has_ended():
            if is_over.wait(1.0):
                return
        if is_over.is_set():
            return
        note("vLLM died, and is started again")
        server.start()
