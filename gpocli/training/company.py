"""The processes of a run before and beside its process group: what they tell each other by the store of torch."""

import os
import socket
import time
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

from gpocli.errors import EnvironmentFault, first_line

LOOK = 0.1
"""Seconds between two looks at the store."""
_READING = 10.0
PATIENCE = 1800.0
"""Seconds that processes wait for one that is late, as torch has it."""


class Company:
    """This process among those of the run; `store` is None where it is alone.

    `address` is where the main process can be reached. The store is there before the process group and after one of its
    members has failed, and needs no member to wait.
    """

    def __init__(self, rank: int = 0, count: int = 1, store: Any = None, address: str = "127.0.0.1") -> None:
        self.rank, self.count, self.store, self.address = rank, count, store, address
        self.host = socket.gethostname()
        self.is_main = rank == 0

    def all_say(self, topic: str, text: str, patience: float = PATIENCE) -> list[str]:
        """What every process says on a topic, in the order of ranks.

        Raises `EnvironmentFault` for one that is silent.
        """
        if self.store is None:
            return [text]
        self.store.set(f"{topic}/{self.rank}", text)
        end = time.monotonic() + patience
        said = []
        for rank in range(self.count):
            key = f"{topic}/{rank}"
            while not self.store.check([key]):
                if time.monotonic() > end:
                    raise EnvironmentFault(
                        f"process {rank} of {self.count} was not heard of within {patience:g} seconds; see what it says"
                    )
                time.sleep(LOOK)
            said.append(self.store.get(key).decode())
        self._see_off(topic)
        return said

    def _see_off(self, topic: str) -> None:
        """Let the main process, which may hold the store, go on when all have read from it what was said."""
        self.store.set(f"{topic}/read/{self.rank}", "")
        if self.is_main:
            wait_until(lambda: self.store.check([f"{topic}/read/{rank}" for rank in range(self.count)]), _READING)

    def of_main(self, topic: str, text: str) -> str:
        """What the main process says, told to all."""
        return self.all_say(topic, text)[0]


def wait_until(happened: Callable[[], bool], seconds: float) -> None:
    """Wait for something that other processes do, or until some time is over."""
    end = time.monotonic() + seconds
    while not happened() and time.monotonic() < end:
        time.sleep(LOOK)


def place_of(environment: Mapping[str, str]) -> tuple[int, int]:
    """The rank of this process and the number of all, as the launcher says."""
    return int(environment.get("RANK", "0")), int(environment.get("WORLD_SIZE", "1"))


def meet(rank: int, count: int, patience: float = PATIENCE) -> Company:
    """Meet the other processes of the run at the store that torch meets them at, too.

    Raises `EnvironmentFault` where that cannot be had.
    """
    if count == 1:
        return Company()
    from torch.distributed.distributed_c10d import PrefixStore
    from torch.distributed.rendezvous import rendezvous

    os.environ.setdefault("MASTER_PORT", "29500")
    os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
    try:
        store, _, _ = next(rendezvous("env://", rank, count, timeout=timedelta(seconds=patience)))
    except (RuntimeError, ValueError) as error:  # of torch, which has errors of its own below RuntimeError
        place = f"{os.environ['MASTER_ADDR']}:{os.environ['MASTER_PORT']}"
        raise EnvironmentFault(
            f"process {rank} of {count} cannot meet the others at {place} ({first_line(error)}); use torchrun"
        ) from error
    return Company(rank, count, PrefixStore("gpo", store), os.environ["MASTER_ADDR"])
