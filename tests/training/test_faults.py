"""A fault of one process is told to the others; `tests/cli/test_processes.py` has it with real processes."""

import json
import signal
import time

import pytest
from torch.distributed import HashStore

from gpocli.errors import EnvironmentFault, GuardError, SpecError, ToldElsewhere, everywhere
from gpocli.training.company import Company
from gpocli.training.faults import shared_faults
from gpocli.training.lifeline import Member


@pytest.fixture(autouse=True)
def looks_often(monkeypatch):
    monkeypatch.setattr("gpocli.training.faults._LOOK", 0.02)
    monkeypatch.setattr("gpocli.training.faults._SAME", 0.02)


def raised(company, error):
    with pytest.raises(BaseException) as caught, shared_faults(company):
        raise error
    return caught.value


def told(store):
    return json.loads(store.get("fault"))


@pytest.fixture
def store():
    """A store where the second of two processes has heard all faults."""
    store = HashStore()
    store.set("heard/1", "")
    return store


def test_a_fault_is_told_with_its_place(store):
    company = Company(0, 2, store)
    error = raised(company, GuardError("too much"))
    assert (type(error), str(error)) == (GuardError, f"host '{company.host}', process 0: too much")
    assert told(store) == {"host": company.host, "rank": 0, "code": 4, "text": "too much", "teller": 0}


def test_a_fault_that_all_have_needs_no_place(store):
    store.set("heard/1", "too much")
    assert str(raised(Company(0, 2, store), GuardError("too much"))) == "too much"


def test_the_second_fault_is_not_said(store):
    raised(Company(0, 2, store), GuardError("too much"))
    second = raised(Company(1, 2, store), SpecError("wrong"))
    assert (type(second), str(second), second.exit_code) == (ToldElsewhere, "", 4)
    assert store.get("heard/1") == b"wrong"


def test_what_all_raise_by_agreement_is_not_told(store):
    error = everywhere(SpecError("wrong"), is_main=True)
    assert raised(Company(0, 2, store), error) is error
    assert not store.check(["fault"])


def test_a_bug_keeps_its_traceback_and_is_told(store):
    error = raised(Company(0, 2, store), KeyError("x"))
    assert type(error) is KeyError
    assert (told(store)["code"], told(store)["text"]) == (1, "KeyError: 'x'")


def test_a_lost_connection_is_one_line(store):
    lost = RuntimeError("[/src/pair.cc:5] Connection closed by peer [10.0.0.1]:99. This may be due to something.\nat")
    error = raised(Company(0, 2, store), lost)
    assert type(error) is EnvironmentFault
    assert "process 0: the processes lost each other (Connection closed by peer [10.0.0.1]:99): " in str(error)


def test_a_process_that_works_is_made_to_leave():
    store, closed = HashStore(), []
    store.set("fault", json.dumps({"host": "b", "rank": 1, "code": 3, "text": "broken", "teller": 1}))
    before = signal.getsignal(signal.SIGUSR2)
    with pytest.raises(ToldElsewhere) as caught, shared_faults(Company(0, 2, store)) as watch:  # noqa: PT012
        watch.on_fault = lambda: closed.append(True)
        time.sleep(99)
    assert (caught.value.exit_code, str(caught.value), closed) == (3, "", [True])
    assert store.check(["heard/0"])
    assert signal.getsignal(signal.SIGUSR2) == before


def test_the_process_that_saw_one_vanish_says_so():
    company = Company(0, 3, HashStore())
    with pytest.raises(EnvironmentFault) as caught, shared_faults(company) as watch:  # noqa: PT012
        watch.lose([Member("b", 1), Member("b", 2)])
        time.sleep(99)
    text = "host 'b', process 1 (and 1 more) is gone: killed, for want of memory perhaps; go on with --resume"
    assert str(caught.value) == text
    assert told(company.store) == {"host": "b", "rank": 1, "code": 5, "text": text, "teller": 0}


def test_a_signal_to_one_is_handed_on_to_all():
    store, got = HashStore(), []
    asked, idle = (type("Stop", (), {"asked": number})() for number in (int(signal.SIGUSR1), 0))
    before = signal.signal(signal.SIGUSR1, lambda number, frame: got.append(number))
    try:
        with shared_faults(Company(0, 2, store)) as watch, watch.handing_on(asked):
            while not store.check(["stop"]):
                time.sleep(0.01)
        with shared_faults(Company(1, 2, store)) as watch, watch.handing_on(idle):
            while not got:
                time.sleep(0.01)
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert got[0] == signal.SIGUSR1


@pytest.mark.parametrize(("error", "stack"), [(GuardError("too much"), "too much"), (KeyError("x"), "Traceback (most")])
def test_torchrun_finds_the_line_of_a_fault_and_the_stack_of_a_bug(store, tmp_path, monkeypatch, error, stack):
    monkeypatch.setenv("TORCHELASTIC_ERROR_FILE", str(tmp_path / "error.json"))
    raised(Company(0, 2, store), error)
    assert stack in json.loads((tmp_path / "error.json").read_text())["message"]["extraInfo"]["py_callstack"]


def test_alone_nothing_is_shared():
    error = SpecError("wrong")
    assert raised(Company(), error) is error
