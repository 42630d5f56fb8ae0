"""A file with an entry is an algorithm, and all that it is."""

from importlib import import_module
from pathlib import Path

import pytest

import gpocli.algorithms
from gpocli.builtin.plugin import gpo_algorithms
from gpocli.contracts.plugin import check_extension

FILES = {file.stem: file for file in Path(gpocli.algorithms.__file__).parent.glob("*.py")}
ENTRIES = {
    name: module.EXTENSION
    for name in FILES
    if hasattr(module := import_module(f"gpocli.algorithms.{name}"), "EXTENSION")
}


def test_every_file_with_an_entry_is_given_under_its_own_name():
    assert {entry.name for entry in gpo_algorithms()} == set(ENTRIES)
    assert all(name == entry.name for name, entry in ENTRIES.items())


@pytest.mark.parametrize("name", ENTRIES)
def test_an_entry_keeps_the_contract_and_names_its_paper(name):
    check_extension(ENTRIES[name])
    assert ENTRIES[name].paper.startswith("arXiv ")


@pytest.mark.parametrize("name", sorted(ENTRIES.keys() - {"gmpo"}))
def test_an_algorithm_without_mathematics_of_its_own_is_under_60_lines(name):
    assert len(FILES[name].read_text(encoding="utf-8").splitlines()) < 60


@pytest.mark.parametrize("name", ENTRIES)
def test_its_classes_are_there(name):
    for place in (ENTRIES[name].trainer, ENTRIES[name].config):
        module, cls = place.split(":")
        assert isinstance(getattr(import_module(module), cls), type)
