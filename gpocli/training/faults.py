"""A fault of one process of a run ends all of them: the others learn it by the store and leave without a word."""

import json
import os
import re
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from types import FrameType
from typing import Any

from gpocli.display.clean import clean
from gpocli.errors import EnvironmentFault, GpoError, Interrupted, ToldElsewhere, first_line
from gpocli.training.agreement import place
from gpocli.training.company import Company, wait_until
from gpocli.training.lifeline import Lifeline, Member

_LOOK = 0.5
_SAME = 1.0
"""Seconds in which a process may come upon the fault that another one has told by itself."""
_LEAVE = 10.0
"""Seconds after which a process that has heard of a fault is ended, wherever it waits."""
_LOST = re.compile(
    r"connection (was )?(closed|reset|refused)|broken pipe|timed out|timeout|remote process exited|recv failed",
    re.IGNORECASE,
)
"""What torch says of a collective whose other members are gone."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a process ends, with its exit code. `teller` says it: another process, where it was killed."""

    host: str
    rank: int
    code: int
    text: str
    teller: int


class Leave(BaseException):
    """Another process has told a fault. Not an Exception, which libraries catch."""


class Watch(threading.Thread):
    """Looks at the store while the main thread works, and makes that leave when another process has told a fault.

    `on_fault` closes what this process shows.
    """

    def __init__(self, company: Company) -> None:
        super().__init__(daemon=True)
        self.company = company
        self.heard: Fault | None = None
        self.stop: Any = None
        self.on_fault: Callable[[], None] = lambda: None
        self._store: Any = None if company.store is None else company.store.clone()
        self._is_over = threading.Event()
        self._main = threading.main_thread().ident or 0

    def run(self) -> None:
        try:
            while not self._is_over.wait(_LOOK):
                self._hand_on_signals()
                if self._store.check(["fault"]):
                    self._leave(Fault(**json.loads(self._store.get("fault"))))
                    return
        except RuntimeError:  # the store went with its process: the main thread hears of that by itself
            return

    def end(self) -> None:
        """Stop looking."""
        self._is_over.set()

    @contextmanager
    def handing_on(self, stop: Any) -> Iterator[None]:
        """Let a signal to any process ask `stop` of all."""
        self.stop = stop
        try:
            yield
        finally:
            self.stop = None

    def _hand_on_signals(self) -> None:
        stop = self.stop
        if stop is None:
            return
        if stop.asked:
            self._store.set("stop", str(stop.asked))
        elif self._store.check(["stop"]):
            signal.pthread_kill(self._main, int(self._store.get("stop")))

    def lose(self, lost: Sequence[Member]) -> None:
        """Tell that processes are gone without a word, or, where the store is gone with them, leave by oneself."""
        company, first = self.company, lost[0]
        fault = Fault(first.host, first.rank, EnvironmentFault.exit_code, _words_for(lost), company.rank)
        try:
            self._store.compare_set("fault", "", json.dumps(asdict(fault)))
        except RuntimeError:
            # Of those that are left on a host one speaks; the first of its own host is gone.
            speaks = int(os.environ.get("LOCAL_RANK", "0")) == int(first.host == company.host)
            self._leave(fault if speaks else replace(fault, teller=first.rank))

    def _leave(self, fault: Fault) -> None:
        if self._is_over.wait(_SAME) or fault.rank == self.company.rank:
            return
        self.heard = fault
        self.on_fault()
        with suppress(RuntimeError):  # of a store that is gone
            self._store.set(f"heard/{self.company.rank}", "")
        signal.pthread_kill(self._main, signal.SIGUSR2)
        if not self._is_over.wait(_LEAVE):
            if fault.teller == self.company.rank:
                sys.stderr.write(f"{clean(fault.text)}\n")
                sys.stderr.flush()
            os._exit(fault.code)


@contextmanager
def shared_faults(company: Company) -> Iterator[Watch]:
    """Tell the others why this process ends, if it does, and end it when one of them tells.

    Raises the fault of this process, with its place where others do not have it; `ToldElsewhere` for that of another.
    """
    watch = Watch(company)
    if company.store is None:
        yield watch
        return
    before = {number: signal.getsignal(number) for number in (signal.SIGUSR2, signal.SIGTERM)}
    signal.signal(signal.SIGUSR2, _leave)
    watch.start()
    lifeline = Lifeline(company, watch.lose)
    lifeline.start()
    try:
        yield watch
    except BaseException as error:
        for number in (signal.SIGUSR2, signal.SIGTERM):  # torchrun sends one when the first process has ended
            signal.signal(number, signal.SIG_IGN)
        told = _told(company, watch, error)
        _write_for_torchrun(told)
        if told is error:
            raise
        raise told from None
    finally:
        watch.end()
        lifeline.end()
        for number, handler in before.items():
            signal.signal(number, handler)


def _leave(number: int, frame: FrameType | None) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise Leave


def _told(company: Company, watch: Watch, error: BaseException) -> BaseException:
    """What this process raises for an error."""
    if isinstance(error, GpoError) and error.is_everywhere:
        return error
    if is_loss(error):
        wait_until(lambda: watch.heard is not None, 3 * _LOOK + _SAME)
        if watch.heard is None:
            error = EnvironmentFault(
                f"the processes lost each other ({_said_of_it(error)}): one was ended from outside, for want of memory "
                "perhaps; go on with --resume"
            )
    watch.end()
    if watch.heard is not None:
        return _heard(company, watch.heard)
    try:
        return _tell(company, error)
    except RuntimeError:  # the store went with its process
        return error


def _heard(company: Company, fault: Fault) -> GpoError:
    """What this process raises for the fault of another one."""
    return EnvironmentFault(fault.text) if fault.teller == company.rank else ToldElsewhere(fault.code)


def is_loss(error: BaseException) -> bool:
    """Whether torch says that other processes are gone."""
    return isinstance(error, RuntimeError) and _LOST.search(first_line(error)) is not None


def _said_of_it(error: BaseException) -> str:
    """What torch says, without the place in its code and its advice."""
    return re.sub(r"^\[[^\]]*\]\s*", "", first_line(error)).split(". ")[0]


def _tell(company: Company, error: BaseException) -> BaseException:
    own = Fault(company.host, company.rank, *_words(error), company.rank)
    text = json.dumps(asdict(own))
    first = company.store.compare_set("fault", "", text).decode()
    if first != text:
        company.store.set(f"heard/{company.rank}", own.text)
        return _heard(company, Fault(**json.loads(first)))
    others = [f"heard/{rank}" for rank in range(company.count) if rank != company.rank]
    wait_until(lambda: company.store.check(others), _LEAVE / 2)
    is_common = all(company.store.check([key]) and company.store.get(key).decode() == own.text for key in others)
    if isinstance(error, GpoError) and own.text and not is_common and not isinstance(error, Interrupted):
        error.args = (f"{place(own.host, own.rank)}: {own.text}",)
    return error


def _words_for(lost: Sequence[Member]) -> str:
    more = f" (and {len(lost) - 1} more)" if len(lost) > 1 else ""
    return f"{place(lost[0].host, lost[0].rank)}{more} is gone: killed, for want of memory perhaps; go on with --resume"


def _words(error: BaseException) -> tuple[int, str]:
    if isinstance(error, GpoError):
        return error.exit_code, str(error)
    if isinstance(error, KeyboardInterrupt):
        return 130, ""
    return 1, f"{type(error).__name__}: {first_line(error)}"


def _write_for_torchrun(error: BaseException) -> None:
    """Put an error where torchrun looks for what ended its first process; it shows what stands as the call stack."""
    path = os.environ.get("TORCHELASTIC_ERROR_FILE")
    if path is None or not str(error) or not isinstance(error, Exception):
        return
    if not isinstance(error, GpoError):
        from torch.distributed.elastic.multiprocessing.errors import get_error_handler

        get_error_handler().record_exception(error)
        return
    extra = {"py_callstack": str(error), "timestamp": str(int(time.time()))}
    Path(path).write_text(json.dumps({"message": {"message": str(error), "extraInfo": extra}}), encoding="utf-8")
