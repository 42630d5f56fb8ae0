"""`gpo` commands as a user runs them: each a process of its own, in a folder of its own, files in, outcome out."""

import multiprocessing
import os
import re
import runpy
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

PRELOAD = "tests.cli.heavy_imports"
TIME_LIMIT = 600  # seconds after which a command hangs


@dataclass(frozen=True)
class Outcome:
    """What a command left: its exit code (minus the signal's number when one killed it) and what it printed."""

    code: int
    stdout: str
    stderr: str

    @property
    def lines(self) -> list[str]:
        """The lines of stdout."""
        return self.stdout.splitlines()


class Running:
    """A command that was started; `exit_code` answers None until it ended."""

    def __init__(self, pid: int, exit_code: Callable[[], int | None], streams: Path) -> None:
        self.pid, self.exit_code, self.streams = pid, exit_code, streams

    def send(self, number: signal.Signals) -> None:
        os.kill(self.pid, number)

    def wait_until(self, happened: Callable[[], object]) -> None:
        """Wait for something that the command does; fails when it ends or takes too long instead."""
        end = time.monotonic() + TIME_LIMIT
        while not happened():
            assert self.exit_code() is None, f"ended too early: {self.outcome()}"
            assert time.monotonic() < end, f"took too long: {self._printed()}"
            time.sleep(0.01)

    def outcome(self) -> Outcome:
        """Wait for the end."""
        end = time.monotonic() + TIME_LIMIT
        while (code := self.exit_code()) is None:
            if time.monotonic() > end:
                self.send(signal.SIGKILL)
                raise AssertionError(f"took too long: {self._printed()}")
            time.sleep(0.01)
        return Outcome(code, *self._printed())

    def _printed(self) -> tuple[str, str]:
        out, err = (self.streams / name for name in ("stdout", "stderr"))
        return out.read_text("utf-8"), err.read_text("utf-8")

    def prints(self, text: str) -> bool:
        """Whether the command has printed `text`."""
        return any(text in stream for stream in self._printed())


class Folder:
    """A user's folder: `write` puts files into it, `gpo` runs a command in it."""

    def __init__(self, path: Path, streams: Path) -> None:
        self.path, self.streams, self._count = path, streams, 0
        path.mkdir()
        streams.mkdir()

    def write(self, **files: str) -> None:
        """Write text files; `data_jsonl="..."` becomes `data.jsonl`."""
        for name, text in files.items():
            stem, _, suffix = name.rpartition("_")
            (self.path / f"{stem}.{suffix}").write_text(text, encoding="utf-8")

    def gpo(self, *arguments: object, **environment: str) -> Outcome:
        """Run `gpo` with arguments; see `start`."""
        return self.start(*arguments, **environment).outcome()

    def start(self, *arguments: object, **environment: str) -> Running:
        """Start `gpo` in a process forked from one that has imported the heavy libraries, which saves seconds."""
        return self._fork(_gpo, arguments, environment)

    def start_script(self, *arguments: object, **environment: str) -> Running:
        """Start `python FILE ...` or `python -c TEXT ...` in a process forked as those of `start`."""
        return self._fork(_script, arguments, environment)

    def python_m_gpocli(self, *arguments: object, **environment: str) -> Outcome:
        """Run `python -m gpocli`, which imports everything for itself."""
        return self.start_python("-m", "gpocli", *arguments, **environment).outcome()

    def start_python(self, *arguments: object, **environment: str) -> Running:
        """Start Python with arguments."""
        streams = self._next_streams()
        with (streams / "stdout").open("wb") as out, (streams / "stderr").open("wb") as err:
            process = subprocess.Popen(
                [sys.executable, *map(str, arguments)],
                cwd=self.path,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                env={**os.environ, "PYTHONPATH": _repository(), **environment},
                start_new_session=True,
            )
        return Running(process.pid, process.poll, streams)

    def _fork(
        self, main: Callable[[list[str]], None], arguments: tuple[object, ...], environment: dict[str, str]
    ) -> Running:
        streams = self._next_streams()
        process = _forkserver().Process(
            target=_run, args=(main, [str(one) for one in arguments], self.path, streams, environment)
        )
        process.start()
        assert process.pid is not None
        return Running(process.pid, lambda: process.exitcode, streams)

    def _next_streams(self) -> Path:
        self._count += 1
        streams = self.streams / str(self._count)
        streams.mkdir()
        for name in ("stdout", "stderr"):
            (streams / name).touch()
        return streams


def environments(processes: int) -> list[dict[str, str]]:
    """What torchrun gives to each of this many processes of a run on this machine."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    count = str(processes)
    shared = {"WORLD_SIZE": count, "LOCAL_WORLD_SIZE": count, "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port}
    return [shared | {"RANK": rank, "LOCAL_RANK": rank} for rank in map(str, range(processes))]


def without_figures(text: str) -> str:
    """`text` with # for the figures of steps and their time, which differ between machines and versions of torch.

    Which way lengths are pulled is left out, for it is not told where all groups are flat; samples are named alone.
    """
    text = re.sub(r"  (length of right|of wrong|pull) [-+\d.]+", "", text)
    text = re.sub(r"^  (kept|rejected|lost), .*$", "  SAMPLE", text, flags=re.MULTILINE)
    names = "reward|accuracy|length|all|loss|grad|gradient norm|to|kept|lost|least|groups|left|average;"
    names += "|count_a|odd_length|cut|entropy|kl|clipped|lr"
    text = re.sub(rf"\b({names}) -?[\d.:,e%-]+", r"\1 #", text)
    text = re.sub(r"\bsteps? in \d+:\d\d\b", "steps in #", text)
    return re.sub(r"[\d,]+ tokens/s|- tokens/s", "# tokens/s", text)


def _forkserver() -> "multiprocessing.context.ForkServerContext":
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([PRELOAD])
    return context


def _repository() -> str:
    return str(Path(__file__).parents[2])


def _run(
    main: Callable[[list[str]], None], arguments: list[str], folder: Path, streams: Path, environment: dict[str, str]
) -> None:
    """In the forked process: become what a shell starts in `folder`."""
    os.setsid()
    os.chdir(folder)
    os.environ.update(environment)
    files = [(Path(os.devnull), os.O_RDONLY), (streams / "stdout", os.O_WRONLY), (streams / "stderr", os.O_WRONLY)]
    for number, (file, mode) in enumerate(files):
        os.dup2(os.open(file, mode), number)
    sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
    sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
    sys.stderr = os.fdopen(2, "w", encoding="utf-8", closefd=False, buffering=1)
    sys.path[:0] = environment.get("PYTHONPATH", "").split(os.pathsep)
    main(arguments)


def _gpo(arguments: list[str]) -> None:
    sys.argv = ["gpo", *arguments]

    from gpocli.cli.main import main

    main()


def _script(arguments: list[str]) -> None:
    if arguments[0] == "-c":
        sys.argv = ["-c", *arguments[2:]]
        exec(compile(arguments[1], "<string>", "exec"), {"__name__": "__main__"})
    else:
        sys.argv = arguments
        runpy.run_path(arguments[0], run_name="__main__")
