import dataclasses

import pytest

from gpocli.spec.algorithms import algorithms
from gpocli.spec.fields import wanted_at
from gpocli.spec.homes import OTHER_NAMES, TRL_HOMES


@pytest.mark.parametrize("home", sorted({*TRL_HOMES.values(), *OTHER_NAMES.values()}))
def test_every_home_is_a_place_in_a_spec(home):
    key = tuple(int(part) if part.isdigit() else part for part in home.split("."))
    assert any(wanted_at(key, algorithm)[1].types for algorithm in algorithms())


def test_every_option_with_a_home_is_one_of_trl():
    from trl import GRPOConfig

    names = {field.name for field in dataclasses.fields(GRPOConfig)}
    assert set(TRL_HOMES) - names == {"num_remains_in_group"}  # of our own GFPOConfig, as of TRL's old one


def test_no_name_has_two_homes():
    assert not TRL_HOMES.keys() & OTHER_NAMES.keys()
