"""Tasks of reasoning-gym as rows; without the package, what to install."""

from importlib.util import find_spec

import pytest

from gpocli.data.gym import gym_rows, is_gym
from gpocli.errors import EnvironmentFault, SpecError

needs_gym = pytest.mark.skipif(find_spec("reasoning_gym") is None, reason="reasoning-gym is an extra")


def refusal(source):
    with pytest.raises(SpecError) as error:
        gym_rows(source)
    return str(error.value).removeprefix(f"'{source}'")


def test_a_task_is_told_from_other_sources():
    assert is_gym("gym:chain_sum")
    assert not is_gym("gym/chain_sum")


@pytest.mark.skipif(find_spec("reasoning_gym") is not None, reason="reasoning-gym is installed")
def test_a_missing_package_is_named():
    with pytest.raises(EnvironmentFault) as error:
        gym_rows("gym:chain_sum")
    assert str(error.value) == (
        "'gym:chain_sum' needs reasoning-gym, which is not installed; pip install 'gpocli[gym]'"
    )


def test_options_are_written_as_in_an_address():
    assert refusal("gym:") == " names no task; write gym:chain_sum, say"
    assert refusal("gym:chain_sum?size") == ": options are written as ?size=500&seed=1; write them so"


@needs_gym
def test_a_task_gives_the_same_rows_each_time():
    source = "gym:chain_sum?size=3&min_terms=3&max_terms=3"
    rows = gym_rows(source)
    assert (len(rows), rows.columns) == (3, ("prompt", "answer", "metadata"))
    assert rows.values == gym_rows(source).values
    assert rows.values != gym_rows(f"{source}&seed=1").values
    assert rows[0]["metadata"]["num_terms"] == 3
    assert eval(rows[0]["metadata"]["expression"]) == int(rows[0]["answer"])
    assert rows.place(2) == f"{source}: row 3"
    assert len(gym_rows(source, limit=2)) == 2


@needs_gym
def test_a_task_or_option_that_is_not_there_is_named():
    assert refusal("gym:chain_sm") == (
        ": reasoning-gym has no task 'chain_sm'; did you mean 'chain_sum' or 'decimal_chain_sum'?"
    )
    assert refusal("gym:chain_sum?sizee=3") == (
        ": reasoning-gym refuses the options (got an unexpected keyword argument 'sizee'); change them"
    )
    assert refusal("gym:chain_sum?min_terms=0") == (
        ": reasoning-gym refuses the options (min_terms must be positive); change them"
    )
