"""A process that is killed is missed at once; `tests/cli/test_processes.py` kills one."""

import queue
import socket

import pytest
from torch.distributed import HashStore

from gpocli.training.company import Company
from gpocli.training.lifeline import Lifeline, Member


@pytest.fixture
def lines():
    """`lines(rank, count)`: a lifeline and what it has lost. All share a store, and end with the test."""
    store, started = HashStore(), []

    def start(rank, count):
        lost = queue.Queue()
        company = Company(rank, count, store)
        company.host = f"host{rank}"
        line = Lifeline(company, lost.put)
        line.start()
        started.append(line)
        return line, lost

    yield start
    for line in started:
        line.end()


def held(main):
    """Wait until the main process holds a line."""
    while not main._lines:
        pass


def cut(line):
    """What happens to the lines of a process that is killed."""
    (end,) = line._lines
    end.shutdown(socket.SHUT_RDWR)


def test_the_main_process_misses_one_that_is_cut_off(lines):
    main, lost = lines(0, 2)
    other, _ = lines(1, 2)
    held(main)
    cut(other)
    assert lost.get() == [Member("host1", 1)]


def test_the_others_miss_the_main_process(lines):
    main, _ = lines(0, 2)
    _, lost = lines(1, 2)
    held(main)
    cut(main)
    assert lost.get() == [Member("host0", 0)]


@pytest.mark.parametrize("first", [0, 1])
def test_one_that_says_goodbye_is_not_missed(lines, first):
    both = [lines(0, 2), lines(1, 2)]
    held(both[0][0])
    both[first][0].end()
    both[1 - first][0].join(0.5)
    assert both[1 - first][1].empty()


def test_a_stranger_is_not_let_in(lines):
    main, lost = lines(0, 2)
    while not main._store.check(["lifeline"]):
        pass
    port = next(key.fileobj for key in main._selector.get_map().values() if key.fileobj is not main._woken)
    with socket.create_connection(("127.0.0.1", port.getsockname()[1])) as stranger:
        stranger.sendall(b'{"word": "guessed", "host": "x", "rank": 1}\n')
        assert stranger.recv(1) == b""
    assert lost.empty()


def test_without_a_main_process_one_ends_in_order(lines):
    line, lost = lines(1, 2)
    line.end()
    assert lost.empty()
    assert not line.is_alive()
