"""The parent's side of `worker`: starting it, asking it, and killing it when it takes too long."""

import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

import gpocli
from gpocli.errors import EnvironmentFault

START_SECONDS = 60.0
"""How long the worker may take to load what it needs; half a second on an idle machine."""


class WorkerProcess:
    """One worker process, for one thread at a time. Works in any thread: no signals are used on this side.

    Raises `EnvironmentFault` when it cannot be started.
    """

    def __init__(self) -> None:
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - as long-lived as the process that writes it
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "gpocli.maths.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env=_environment(),
            text=True,
            start_new_session=True,  # Ctrl-C in a terminal is for the run, which ends the worker itself
        )
        self._answers: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read, name="gpo-algebra", daemon=True)
        self._reader.start()
        if self._next(START_SECONDS) != "ready\n":
            cause = self._last_error()
            self.stop()
            raise EnvironmentFault(
                f"the process that compares formulas did not start: {cause}; check that math-verify is installed "
                "for this Python"
            )

    @property
    def is_alive(self) -> bool:
        """Whether it can be asked."""
        return self._process.poll() is None

    def ask(self, seconds: float, function: str, *arguments: Any) -> bool | None:
        """What the worker's `function` returns; None when it gives up or takes longer than `seconds`.

        After it took too long the worker is gone.
        """
        try:
            self._send(json.dumps([seconds, function, *arguments]) + "\n")
            line = self._next(seconds)
        except BrokenPipeError:
            line = ""
        except BaseException:  # an interrupt: the answer that may still come belongs to no question
            self.stop()
            raise
        if not line:
            self.stop()
            return None
        answer = json.loads(line)
        return None if answer is None else bool(answer)

    def stop(self) -> None:
        """Kill the process and wait for its end."""
        self._process.kill()
        self._process.wait()
        self._reader.join()
        for stream in (self._process.stdin, self._process.stdout, self._errors):
            _close(stream)

    def _send(self, line: str) -> None:
        if self._process.stdin is None:
            raise BrokenPipeError
        self._process.stdin.write(line)
        self._process.stdin.flush()

    def _read(self) -> None:
        for line in self._process.stdout or ():
            self._answers.put(line)
        self._answers.put("")

    def _next(self, seconds: float) -> str:
        try:
            return self._answers.get(timeout=seconds)
        except queue.Empty:
            return ""

    def _last_error(self) -> str:
        self._errors.seek(0)
        lines = self._errors.read().decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else "it ended without a message"


def _environment() -> dict[str, str]:
    """The environment, in which the worker finds the same gpocli that this process has imported."""
    paths = [str(Path(gpocli.__file__).parent.parent), os.environ.get("PYTHONPATH", "")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in paths if path)}


def _close(stream: Any) -> None:
    try:
        stream.close()
    except OSError:  # what was not sent yet has nowhere to go
        return
