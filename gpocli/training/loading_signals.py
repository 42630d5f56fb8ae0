"""The signals that stop a run, and what they do while it is checked and loaded."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

_NAMES = ("SIGINT", "SIGTERM", "SIGHUP", "SIGUSR1")


class Stopped(BaseException):
    """A signal other than Ctrl-C's ended the loading. Not an Exception, which libraries catch."""

    def __init__(self, number: int) -> None:
        self.number = number


@contextmanager
def handled(handler: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    """Give the signals that stop a run to `handler`; what was told to ignore one (nohup) is obeyed."""
    numbers = [getattr(signal, name) for name in _NAMES if hasattr(signal, name)]
    before = {number: signal.getsignal(number) for number in numbers}
    before = {number: old for number, old in before.items() if old != signal.SIG_IGN or number == signal.SIGTERM}
    for number in before:
        signal.signal(number, handler)
    try:
        yield
    finally:
        for number, old in before.items():
            signal.signal(number, old)


@contextmanager
def interruptible() -> Iterator[None]:
    """Raise KeyboardInterrupt for a Ctrl-C inside and `Stopped` for another signal, at the latest at the end.

    Some libraries swallow the exception when it hits them in the middle of an import, or raise another one for it.
    """
    received: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        received.append(number)
        raise _stop(number)

    with handled(note):
        try:
            yield
        except Exception:
            if not received:
                raise
    if received:
        raise _stop(received[0])


def _stop(number: int) -> BaseException:
    return KeyboardInterrupt() if number == signal.SIGINT else Stopped(number)
