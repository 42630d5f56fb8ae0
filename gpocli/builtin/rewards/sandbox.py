"""Foreign Python run in a process of its own, which gives up what it may do (`sandbox_child`) and is killed in time."""

import contextlib
import functools
import json
import os
import secrets
import selectors
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Literal

from gpocli.errors import EnvironmentFault

Isolation = Literal["full", "limits"]
REQUIRED: dict[Isolation, tuple[str, ...]] = {"full": ("limits", "files", "calls"), "limits": ("limits",)}
"""The layers of `sandbox_child` without which nothing is run."""

MEANING = {"limits": "limits", "files": "files (Landlock)", "calls": "calls (seccomp)", "namespaces": "namespaces"}

_CHILD = Path(__file__).with_name("sandbox_child.py")  # which is not imported: it needs Linux

REFUSED = 70
"""The exit code of a process that cannot give up what it has to."""

_AWAKE = 0.1
"""Seconds after which a process that says nothing is looked at again: has the run been interrupted?"""


_REPORTS = 2**20
"""Bytes that a process may report; a sound one needs some fifty for each test."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a process may use: seconds of CPU and of wall time, MiB of memory and of files, KiB of output."""

    cpu_seconds: int = 5
    wall_seconds: float = 20.0
    memory_mb: int = 1024
    files_mb: int = 0
    output_kb: int = 1024
    packages: bool = False
    """Whether it may import what is installed for this Python."""
    isolation: Isolation = "full"

    @property
    def required(self) -> tuple[str, ...]:
        """Without its own disk, which comes with the namespaces, a process could fill that of the machine."""
        return REQUIRED[self.isolation] + (("namespaces",) if self.files_mb else ())


@dataclass(frozen=True, slots=True)
class Job:
    """Python and what is asked of it: the `tests` that hold after it, or, without any, what it prints for `stdin`."""

    code: str
    tests: tuple[str, ...] | None = None
    stdin: str = ""


@dataclass(slots=True)
class Ran:
    """What came of a job: `held` are the tests that did, counted from 0; `cut` says which limit ended it."""

    layers: frozenset[str] = frozenset()
    held: set[int] = field(default_factory=set)
    output: bytes = b""
    exit_code: int | None = None
    cut: Literal["time", "output"] | None = None


def run_job(job: Job, limits: Limits, stop: threading.Event | None = None) -> Ran:
    """Run a job to its end or to its limits, or until `stop` is set; then nothing of it is left.

    Raises `EnvironmentFault` when the process cannot be started, or cannot give up what it has to.
    """
    nonce = secrets.token_hex(16)
    with (
        tempfile.TemporaryDirectory(prefix="gpo-code-", ignore_cleanup_errors=True) as folder,
        _pipe() as (read, write),
    ):
        with _filled(_told(job, limits, nonce)) as told, _filled(job.stdin) as stdin:
            process = _start(limits, folder, told.fileno(), write.fileno(), stdin)
        write.close()
        try:
            ran = _watch(process, read, limits, nonce, stop)
        finally:
            _end(process)
    if ran.exit_code == REFUSED and not ran.layers.issuperset(limits.required):
        raise EnvironmentFault(_missing(limits, ran.layers))
    return ran


@functools.cache
def require_isolation(limits: Limits) -> frozenset[str]:
    """The layers that this machine grants. Raises `EnvironmentFault` when one that is required is not among them."""
    if sys.platform != "linux":
        raise EnvironmentFault("code of completions is run on Linux alone, whose kernel can confine it")
    return run_job(Job("pass"), limits).layers


def _missing(limits: Limits, layers: frozenset[str]) -> str:
    missing = ", ".join(MEANING[one] for one in limits.required if one not in layers)
    if "namespaces" in missing:
        return f"this machine cannot confine foreign code, it lacks: {missing}; set files_mb to 0"
    return (
        f"this machine cannot confine foreign code, it lacks: {missing}; use a newer kernel, or, inside of a container "
        "or virtual machine that holds nothing of worth, isolation: limits"
    )


def _told(job: Job, limits: Limits, nonce: str) -> str:
    return json.dumps(
        {
            "nonce": nonce,
            "code": job.code,
            "tests": job.tests,
            "required": limits.required,
            "cpu_seconds": limits.cpu_seconds,
            "memory_mb": limits.memory_mb,
            "files_mb": limits.files_mb,
        }
    )


def _start(limits: Limits, folder: str, told: int, write: int, stdin: IO[bytes]) -> subprocess.Popen[bytes]:
    # -P: no module of a folder; -s -S: none of the user, none that is installed; -B: nothing is written beside them
    flags = ["-P", "-s", "-B", "-X", "utf8", *([] if limits.packages else ["-S"])]
    environment = {"PATH": "/usr/bin:/bin", "HOME": folder, "TMPDIR": folder, "LANG": "C.UTF-8", "PYTHONHASHSEED": "0"}
    one_thread = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    try:
        return subprocess.Popen(
            [sys.executable, *flags, str(_CHILD), str(told), str(write)],
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=folder,
            env=environment | one_thread,
            pass_fds=(told, write),
            start_new_session=True,
        )
    except OSError as error:
        raise EnvironmentFault(f"no process for the code of a completion could be started ({error})") from error


def _watch(
    process: subprocess.Popen[bytes], reports: IO[bytes], limits: Limits, nonce: str, stop: threading.Event | None
) -> Ran:
    """Read what it says until it has ended, or was to."""
    assert process.stdout is not None
    ran, end = Ran(), time.monotonic() + limits.wall_seconds
    printed, told = bytearray(), bytearray()
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ, printed)
        selector.register(reports, selectors.EVENT_READ, told)
        while selector.get_map() and ran.cut is None and not (stop is not None and stop.is_set()):
            for key, _ in selector.select(_AWAKE):
                if chunk := os.read(key.fd, 65536):
                    key.data.extend(chunk)
                else:
                    selector.unregister(key.fileobj)
            if len(printed) > limits.output_kb * 1024 or len(told) > _REPORTS:
                ran.cut = "output"
            elif time.monotonic() > end:
                ran.cut = "time"
    if ran.cut is None:  # the streams may be closed by a process that goes on
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(max(end - time.monotonic(), _AWAKE) if stop is None or not stop.is_set() else 0)
        ran.cut = "time" if process.returncode in (None, -signal.SIGXCPU, -signal.SIGKILL) else None
    ran.exit_code, ran.output = process.returncode, bytes(printed)
    ran.layers, ran.held = _read_reports(bytes(told), nonce)
    return ran


def _read_reports(text: bytes, nonce: str) -> tuple[frozenset[str], set[int]]:
    layers: frozenset[str] = frozenset()
    held: set[int] = set()
    for line in text.decode("utf-8", "replace").splitlines():
        match line.split():
            case [token, "layers", *names] if token == nonce:
                layers = frozenset(names)
            case [token, "pass", number] if token == nonce and number.isascii() and number.isdigit():
                held.add(int(number))
    return layers, held


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill it with all that it has started in its session, and wait for its end."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.wait()
    if process.stdout is not None:
        process.stdout.close()


@contextlib.contextmanager
def _pipe() -> Iterator[Sequence[IO[bytes]]]:
    read, write = os.pipe()
    with os.fdopen(read, "rb", buffering=0) as reader, os.fdopen(write, "wb", buffering=0) as writer:
        yield reader, writer


@contextlib.contextmanager
def _filled(text: str) -> Iterator[IO[bytes]]:
    """A file without a name that holds the text, to be read from its beginning."""
    with tempfile.TemporaryFile() as file:
        file.write(text.encode("utf-8", "replace"))
        file.seek(0)
        yield file
