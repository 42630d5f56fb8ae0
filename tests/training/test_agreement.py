"""What processes must have alike, and who is named when one has it otherwise."""

import threading
from dataclasses import replace

import pytest
from torch.distributed import HashStore

from gpocli.errors import EnvironmentFault, SpecError, ToldElsewhere
from gpocli.training.agreement import Statement, agree, disagreement, flat, versions
from gpocli.training.company import Company

SAME = [
    Statement(host, rank, {"torch": "2.0"}, {"algorithm.group_size": 8}, {"data 'a.jsonl'": "ab"})
    for rank, host in enumerate("aabb")
]


def changed(*ranks, **values):
    return [replace(one, **values) if one.rank in ranks else one for one in SAME]


def test_the_same_in_all_is_agreed():
    assert disagreement(SAME) is None


DIFFERENCES = {
    "a version": (
        changed(2, versions={"torch": "1.9"}),
        EnvironmentFault,
        "host 'b', process 2 would train something else: the version of torch is 1.9 there, 2.0 elsewhere; make them "
        "the same on all hosts",
    ),
    "a setting, in the first of two": (
        changed(2, 3, spec={"algorithm.group_size": 16})[1:],
        SpecError,
        "host 'a', process 1 would train something else: algorithm.group_size is 8 there, 16 elsewhere; make them the "
        "same on all hosts",
    ),
    "data": (
        changed(1, 3, sources={"data 'a.jsonl'": "cd"}),
        SpecError,
        "host 'a', process 1 (and 1 more) would train something else: the content of data 'a.jsonl' is cd there, ab "
        "elsewhere; make them the same on all hosts",
    ),
    "a fault": (
        changed(3, fault=(2, "no such file")),
        ToldElsewhere,
        "host 'b', process 3: no such file",
    ),
    "the same fault in all": (changed(0, 1, 2, 3, fault=(2, "no such file")), ToldElsewhere, "no such file"),
}


@pytest.mark.parametrize(("statements", "kind", "text"), DIFFERENCES.values(), ids=DIFFERENCES)
def test_the_one_that_differs_is_named(statements, kind, text):
    error = disagreement(statements)
    assert (type(error), str(error)) == (kind, text)


def test_settings_have_their_paths_and_the_run_directory_may_differ():
    spec = {"run": {"dir": "out", "steps": 2}, "rewards": [{"name": "a"}], "trl": {}}
    assert flat(spec) == {"run.steps": 2, "rewards": [{"name": "a"}], "trl": {}}


def test_what_trains_has_versions():
    assert {"python", "gpocli", "torch", "transformers", "trl"} == set(versions())
    assert "missing" not in versions().values()


def test_a_fault_of_one_is_raised_in_all_and_said_by_the_main_one():
    store, raised = HashStore(), {}

    def take_part(rank, fault):
        try:
            agree(Company(rank, 2, store), fault, 10)
        except ToldElsewhere as error:
            raised[rank] = (error.exit_code, str(error))

    others = [threading.Thread(target=take_part, args=(rank, SpecError("no such file"))) for rank in (0, 1)]
    for one in others:
        one.start()
    for one in others:
        one.join()
    assert raised == {0: (2, "no such file"), 1: (2, "")}
