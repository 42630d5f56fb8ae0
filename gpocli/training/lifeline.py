"""A line from each process of a run to the main one: it breaks, at once and without a goodbye, when one is killed."""

import json
import secrets
import selectors
import socket
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from gpocli.training.company import LOOK, Company

_GOODBYE = b"."
_MEETING = 60.0
"""Seconds in which the main process has to open its end, and to be reached."""
_TOGETHER = 0.3
"""Seconds within which the processes of one host are lost together."""
_KEEPALIVE = {"TCP_KEEPIDLE": 30, "TCP_KEEPINTVL": 10, "TCP_KEEPCNT": 3}
"""Seconds and trials after which a host that does not answer any more, power and all, is lost."""


@dataclass(frozen=True, slots=True)
class Member:
    """A process of the run."""

    host: str
    rank: int


class Lifeline(threading.Thread):
    """Holds the lines of this process; `on_loss` is called in this thread, once, with those that were lost.

    A line that cannot be had (a port that is shut between two hosts) is done without.
    """

    def __init__(self, company: Company, on_loss: Callable[[Sequence[Member]], None]) -> None:
        super().__init__(daemon=True)
        self._company, self._on_loss = company, on_loss
        self._store: Any = company.store.clone()
        self._selector = selectors.DefaultSelector()
        self._wake, self._woken = socket.socketpair()
        self._selector.register(self._woken, selectors.EVENT_READ)
        self._lines: dict[socket.socket, Member] = {}
        self._is_over = threading.Event()

    def run(self) -> None:
        try:
            if not self._company.is_main:
                self._reach_main()
            lost = self._watch(self._open() if self._company.is_main else None)
        except (OSError, RuntimeError, ValueError):  # the store of torch has errors below RuntimeError
            return
        finally:
            self._close()
        if lost and not self._is_over.is_set():
            self._on_loss(lost)

    def end(self) -> None:
        """Stop looking, and say goodbye."""
        self._is_over.set()
        self._wake.close()
        self.join(timeout=2.0)

    def _open(self) -> socket.socket:
        """Listen, and let the others know where and by which word they are known."""
        is_dual = socket.has_dualstack_ipv6()
        family = socket.AF_INET6 if is_dual else socket.AF_INET
        listener = socket.create_server(("", 0), family=family, backlog=1024, dualstack_ipv6=is_dual)
        self._selector.register(listener, selectors.EVENT_READ)
        self._word = secrets.token_hex(8)
        place = {"port": listener.getsockname()[1], "word": self._word, "host": self._company.host}
        self._store.set("lifeline", json.dumps(place))
        return listener

    def _reach_main(self) -> None:
        end = time.monotonic() + _MEETING
        while not self._store.check(["lifeline"]):
            if self._is_over.wait(LOOK) or time.monotonic() > end:
                return
        place = json.loads(self._store.get("lifeline"))
        line = socket.create_connection((self._company.address, place["port"]), timeout=_MEETING)
        hello = {"word": place["word"], "host": self._company.host, "rank": self._company.rank}
        line.sendall(json.dumps(hello).encode() + b"\n")
        self._hold(line, Member(place["host"], 0))

    def _hold(self, line: socket.socket, member: Member) -> None:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for name, value in _KEEPALIVE.items():
            if hasattr(socket, name):
                line.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
        self._lines[line] = member
        self._selector.register(line, selectors.EVENT_READ)

    def _watch(self, listener: socket.socket | None) -> list[Member]:
        """Wait until lines break, those of one host together, or until this process ends."""
        lost: list[Member] = []
        while True:
            ready = self._selector.select(_TOGETHER if lost else None)
            if self._is_over.is_set() or (lost and not ready):
                return lost
            for key, _ in ready:
                if key.fileobj is listener and listener is not None:
                    self._let_in(listener)
                elif isinstance(key.fileobj, socket.socket) and (member := self._heard(key.fileobj)) is not None:
                    lost.append(member)

    def _let_in(self, listener: socket.socket) -> None:
        line, _ = listener.accept()
        line.settimeout(5.0)
        try:
            hello = json.loads(line.makefile("rb", buffering=0).readline(4096))
            if secrets.compare_digest(str(hello["word"]), self._word):
                self._hold(line, Member(str(hello["host"]), int(hello["rank"])))
                return
        except (OSError, ValueError, KeyError, TypeError):  # no process of this run
            pass
        line.close()

    def _heard(self, line: socket.socket) -> Member | None:
        """The process at the other end, if the line broke without a goodbye."""
        try:
            said = line.recv(1)
        except OSError:
            said = b""
        self._selector.unregister(line)
        member = self._lines.pop(line, None)
        line.close()
        return None if said == _GOODBYE else member

    def _close(self) -> None:
        """Let go of all lines, with a goodbye: this process lives."""
        for line in self._lines:
            try:
                line.sendall(_GOODBYE)
                line.close()
            except OSError:  # the other end was quicker
                continue
        for key in list(self._selector.get_map().values()):
            if isinstance(key.fileobj, socket.socket):
                key.fileobj.close()
        self._selector.close()
