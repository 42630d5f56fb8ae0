"""What processes tell each other by a store."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from torch.distributed import HashStore

from gpocli.errors import EnvironmentFault
from gpocli.training.company import Company, meet, place_of, wait_until


def test_all_hear_what_each_says_in_the_order_of_ranks():
    store = HashStore()
    with ThreadPoolExecutor(3) as pool:
        heard = list(pool.map(lambda rank: Company(rank, 3, store).all_say("topic", f"I am {rank}"), (2, 0, 1)))
    assert heard == [["I am 0", "I am 1", "I am 2"]] * 3


def test_what_the_main_process_says_reaches_all():
    store = HashStore()
    with ThreadPoolExecutor(2) as pool:
        assert set(pool.map(lambda rank: Company(rank, 2, store).of_main("topic", str(rank)), (0, 1))) == {"0"}


def test_a_process_alone_hears_itself():
    assert Company().all_say("topic", "x") == ["x"]
    assert meet(0, 1).store is None


def test_one_that_is_silent_is_named():
    with pytest.raises(EnvironmentFault, match=r"process 1 of 2 was not heard of within 0.01 seconds"):
        Company(0, 2, HashStore()).all_say("topic", "x", patience=0.01)


def test_processes_that_do_not_come_are_told(monkeypatch):
    monkeypatch.setenv("MASTER_ADDR", "127.0.0.1")
    monkeypatch.setenv("MASTER_PORT", "1")
    with pytest.raises(EnvironmentFault, match=r"process 1 of 2 cannot meet the others at 127.0.0.1:1 \("):
        meet(1, 2, patience=0.2)


def test_the_launcher_says_which_process_this_is():
    assert place_of({"RANK": "3", "WORLD_SIZE": "4"}) == (3, 4)
    assert place_of({}) == (0, 1)


def test_waiting_has_an_end():
    wait_until(lambda: False, 0.01)
