"""The reward for Python that passes the tests of its row, run in processes that can do little (`sandbox`)."""

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import Field

from gpocli.builtin.options import Options
from gpocli.builtin.rewards.code_tests import RowTests, read_tests
from gpocli.builtin.rewards.columns import column, one_each
from gpocli.builtin.rewards.sandbox import Isolation, Job, Limits, Ran, require_isolation, run_job
from gpocli.builtin.rewards.thinking import Opening, stated_after_thinking
from gpocli.errors import SpecError
from gpocli.extensions import RewardExtension

Judged = dict[tuple[str, RowTests], "Verdict"]
"""What came of each code with each tests that it was run with."""

_PYTHON = ("python", "python3", "py")


class CodeOptions(Options):
    """Options of `code`."""

    tests_column: str = Field(default="tests", min_length=1)
    """The data column with the tests; asserts run beside the answer, which can tamper with them."""
    score: Literal["all", "share"] = "all"
    """1 for passing all tests and else 0, or the share of tests that passed."""
    opening: Opening = "auto"
    """Where the opening think tag stands; with `prompt` a completion that never closes the block gets 0."""
    cpu_seconds: int = Field(default=5, ge=1, le=3600)
    """Seconds of CPU time that a process may use: for all asserts of a row, or for one input."""
    wall_seconds: float = Field(default=20.0, gt=0, le=36000)
    """Seconds after which a process is killed though it used no CPU time."""
    memory_mb: int = Field(default=1024, ge=64, le=1_000_000)
    """MiB of memory that a process may ask for."""
    files_mb: int = Field(default=0, ge=0, le=10_000)
    """MiB of files that a process may write, to a folder in memory; 0: none can be written."""
    output_kb: int = Field(default=1024, ge=1, le=100_000)
    """KiB that a process may print."""
    packages: bool = False
    """Whether answers may import what is installed for this Python, or the standard library alone."""
    workers: int | None = Field(default=None, ge=1, le=1024)
    """Processes at once, of each process of the run; none given: as many as its part of the machine's cores."""
    isolation: Isolation = "full"
    """`full` refuses where the kernel cannot confine answers; with `limits` they may then do what this user may."""

    def limits(self) -> Limits:
        return Limits(
            cpu_seconds=self.cpu_seconds,
            wall_seconds=self.wall_seconds,
            memory_mb=self.memory_mb,
            files_mb=self.files_mb,
            output_kb=self.output_kb,
            packages=self.packages,
            isolation=self.isolation,
        )


@dataclass(frozen=True, slots=True)
class Verdict:
    """The tests that an answer passed, and whether a limit ended it."""

    passed: int
    was_cut: bool = False


class Code:
    """Whether the last block of Python in an answer passes the tests of its row; None for a row without tests.

    The code of each completion runs in a process of its own, without network, other processes, threads, or files but
    Python's own, within limits of time, memory and output. An answer can still tamper with asserts, which run in its
    own process, but not with what its output is compared to; and no wall holds against a fault of the kernel.

    Logs, as shares of the completions with tests: `NAME/cut`, those that a limit ended, and `NAME/no_code`.
    """

    __name__ = "code"

    def __init__(self, options: CodeOptions) -> None:
        self.options = options
        self.columns = (options.tests_column,)
        self._limits = options.limits()
        self.layers = require_isolation(self._limits)
        """What this machine grants to confine answers."""

    def __call__(
        self, completions: Sequence[Any], prompts: Sequence[Any] | None = None, **columns: Any
    ) -> list[float | None]:
        cells = column(columns, self.options.tests_column, self.__name__, len(completions))
        tests = [*map(self._tests, cells, one_each(columns.get("gpo_row"), len(completions)))]
        answers = [*map(self._code, completions, one_each(prompts, len(completions)))]
        asked = [(code, wanted) for code, wanted in zip(answers, tests, strict=True) if code and wanted]
        verdicts = self._all_judged(dict.fromkeys(asked))
        self._tell(answers, tests, verdicts, columns.get("log_metric"))
        return [self._score(code, wanted, verdicts) for code, wanted in zip(answers, tests, strict=True)]

    def _tests(self, cell: Any, row: Any) -> RowTests | None:
        try:
            return read_tests(cell)
        except SpecError as error:
            where = "" if row is None else f" of row {row}"
            raise SpecError(f'reward "{self.__name__}": the column "{self.columns[0]}"{where}: {error}') from error

    def _code(self, completion: Any, prompt: Any) -> str | None:
        text = stated_after_thinking(completion, self.options.opening, prompt)
        return None if text is None else code_in(text)

    def _all_judged(self, asked: dict[tuple[str, RowTests], None]) -> Judged:
        if not asked:
            return {}
        stop = threading.Event()
        workers = self.options.workers or _cores()
        pool = ThreadPoolExecutor(min(workers, len(asked)), thread_name_prefix="gpo-code")

        def judged(one: tuple[str, RowTests]) -> Verdict:
            return self._judged(*one, stop)

        try:
            return dict(zip(asked, pool.map(judged, asked), strict=True))
        finally:
            stop.set()  # where a deadline or Ctrl-C left the batch, its processes are killed before it goes on
            pool.shutdown(cancel_futures=True)

    def _judged(self, code: str, tests: RowTests, stop: threading.Event) -> Verdict:
        if tests.asserts:
            ran = run_job(Job(code, tests.asserts), self._limits, stop)
            return Verdict(len(ran.held), ran.cut is not None)
        passed = 0
        for pair in tests.pairs:
            ran = run_job(Job(code, stdin=pair.stdin), self._limits, stop)
            is_right = _ended_well(ran) and pair.is_met_by(ran.output)
            passed += is_right
            if ran.cut is not None or (self.options.score == "all" and not is_right) or stop.is_set():
                return Verdict(passed, ran.cut is not None)
        return Verdict(passed)

    def _score(self, code: str | None, tests: RowTests | None, verdicts: Judged) -> float | None:
        if tests is None:
            return None
        if not code:
            return 0.0
        share = verdicts[code, tests].passed / len(tests)
        return share if self.options.score == "share" else float(share == 1.0)

    def _tell(
        self,
        answers: Sequence[str | None],
        tests: Sequence[RowTests | None],
        verdicts: Judged,
        log: Callable[[str, float], None] | None,
    ) -> None:
        rows = [(code, wanted) for code, wanted in zip(answers, tests, strict=True) if wanted]
        if log is None or not rows:
            return
        log(f"{self.__name__}/no_code", sum(not code for code, _ in rows) / len(rows))
        log(f"{self.__name__}/cut", sum(verdicts[code, wanted].was_cut for code, wanted in rows if code) / len(rows))


def _cores() -> int:
    """The cores of this process of the run, which shares those of the machine with the others on it."""
    return max(len(os.sched_getaffinity(0)) // int(os.environ.get("LOCAL_WORLD_SIZE", "1")), 1)


def _ended_well(ran: Ran) -> bool:
    return ran.exit_code == 0 and ran.cut is None


def code_in(text: str) -> str | None:
    """The code of the last fenced block of Python, else of the last fenced block without a language, else all of a text
    without a fence. None for what has no code: it is empty, or all its blocks are in other languages or left open.
    """
    blocks: list[tuple[str, list[str]]] = []
    inside: list[str] | None = None
    language = ""
    for line in text.splitlines():
        if not line.lstrip().startswith("```"):
            if inside is not None:
                inside.append(line)
        elif inside is None:
            language, inside = (line.strip().strip("`").split() or [""])[0].lower(), []
        else:
            blocks.append((language, inside))
            inside = None
    if not blocks and inside is None:
        return text if text.strip() else None
    for wanted in (_PYTHON, ("",)):
        for language, lines in reversed(blocks):
            if language in wanted:
                return "\n".join(lines) + "\n"
    return None


EXTENSION = RewardExtension(
    name="code",
    build=Code,
    summary="1 for Python that passes the tests of its row, run in a confined process",
    options=CodeOptions,
    columns=("tests",),
)
"""Needs Linux."""
