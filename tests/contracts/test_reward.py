import asyncio
import functools
import inspect

import numpy as np
import pytest

from gpocli.contracts.reward import checked_rewards
from gpocli.errors import PluginError, SpecError


def returning(*values):
    def reward(completions, **_):
        return list(values)

    return reward


def call(reward, rows=1, **columns):
    """Call as TRL does: by keywords alone, with its own extras."""
    return reward(
        prompts=["p"] * rows,
        completions=["c"] * rows,
        completion_ids=[[1]] * rows,
        trainer_state=None,
        log_extra=None,
        log_metric=None,
        **columns,
    )


def checked(reward, rows=1, **columns):
    return call(checked_rewards([reward])[0], rows, **columns)


class Judge:
    def __call__(self, completions, **_):
        return [1.0] * len(completions)


class AsyncJudge:
    async def __call__(self, completions, **_):
        return [1] * len(completions)


def length(completions, k=1):
    return [len(text) * k for text in completions]


# Names (traps R10, R11)


@pytest.mark.parametrize(
    ("reward", "name"),
    [
        (length, "length"),
        (functools.partial(length, k=2), "length"),
        (functools.partial(functools.partial(Judge())), "Judge"),
        (Judge(), "Judge"),
        (lambda completions: [1.0], "lambda"),
        (AsyncJudge(), "AsyncJudge"),
    ],
)
def test_every_callable_has_a_readable_name(reward, name):
    assert checked_rewards([reward])[0].__name__ == name


def test_a_name_that_is_taken_gets_a_number():
    rewards = [length, functools.partial(length, k=2), Judge(), length]
    assert [reward.__name__ for reward in checked_rewards(rewards)] == ["length", "length#2", "Judge", "length#3"]


def test_a_numbered_name_does_not_collide_with_a_given_one():
    names = ["a", "a#2", "a"]
    assert [reward.__name__ for reward in checked_rewards([length] * 3, names)] == ["a", "a#2", "a#3"]


def test_names_can_be_given():
    assert [reward.__name__ for reward in checked_rewards([length, length], ["short", "long"])] == ["short", "long"]


def test_the_name_of_a_reward_model_is_taken_too():
    checked = checked_rewards([length, "org/length"])
    assert checked[1] == "org/length"
    assert checked[0].__name__ == "length#2"


def test_torch_modules_pass_as_they_are():
    torch = pytest.importorskip("torch")
    model = torch.nn.Linear(1, 1)
    assert checked_rewards([model])[0] is model


def test_two_rewards_of_one_name_keep_their_own_values():
    first, second = checked_rewards([length, functools.partial(length, k=10)])
    assert (call(first), call(second)) == ([1.0], [10.0])


# Values (trap R16, R02, R03)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (True, 1.0),
        (False, 0.0),
        (3, 3.0),
        (0.25, 0.25),
        (np.float32(0.5), 0.5),
        (np.int64(-2), -2.0),
        (np.bool_(True), 1.0),
        (np.array(1.5), 1.5),
    ],
)
def test_numbers_of_every_kind_become_floats(value, expected):
    result = checked(returning(value))
    assert result == [expected]
    assert type(result[0]) is float


def test_tensors_of_no_dimension_become_floats():
    torch = pytest.importorskip("torch")
    assert checked(returning(torch.tensor(1.0), torch.tensor(True)), rows=2) == [1.0, 1.0]


def test_none_and_nan_are_none_and_not_zero():
    values = (None, float("nan"), np.float32("nan"), 0.0)
    assert checked(returning(*values), rows=4) == [None, None, None, 0.0]


@pytest.mark.parametrize("returned", [(1.0, 0.0), np.array([1.0, 0.0]), np.array([True, False])])
def test_tuples_and_arrays_are_lists(returned):
    assert checked(lambda completions: returned, rows=2) == [1.0, 0.0]


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("1.0", "'1.0' (str)"),
        ("Reward: 10", "'Reward: 10' (str)"),
        ({"score": 1}, "{'score': 1} (dict)"),
        ([1.0], "[1.0] (list)"),
        (np.array([1.0]), "array([1.]) (ndarray)"),
        (1j, "1j (complex)"),
        (float("inf"), "inf"),
        (float("-inf"), "-inf"),
    ],
)
def test_what_is_no_finite_number_is_refused_with_its_row(value, shown):
    with pytest.raises(PluginError) as refusal:
        checked(returning(1.0, value), rows=2)
    assert str(refusal.value) == (
        f'reward "reward" returned {shown} for row 1; return a finite number, or None where it does not apply'
    )


@pytest.mark.parametrize(
    ("returned", "shown"),
    [(None, "None"), (1.0, "1.0"), ("11", "'11' (str)"), ({0: 1.0}, "{0: 1.0} (dict)"), (np.array(1.0), None)],
)
def test_what_is_no_list_is_refused(returned, shown):
    with pytest.raises(PluginError) as refusal:
        checked(lambda completions: returned)
    shown = shown or f"{returned!r} (ndarray)"
    assert str(refusal.value) == f'reward "lambda" returned {shown}; return a list with one number a completion'


def test_nested_arrays_are_refused():
    with pytest.raises(PluginError, match=r"return a list with one number a completion$"):
        checked(lambda completions: np.array([[1.0], [0.0]]), rows=2)


def test_a_wrong_number_of_values_is_refused():
    with pytest.raises(PluginError) as refusal:
        checked(returning(1.0, 2.0, 3.0), rows=4)
    assert str(refusal.value) == (
        'reward "reward" returned 3 values for 4 completions; return one number, or None, a completion'
    )


# Faults (trap R15)


def test_an_error_inside_names_the_reward_and_the_place():
    def broken(completions, **_):
        raise ValueError("no such thing")

    with pytest.raises(PluginError) as failure:
        checked(broken, rows=2)
    assert str(failure.value).startswith('reward "broken" failed on a batch of 2: ValueError: no such thing (')
    assert "test_reward.py:" in str(failure.value)
    assert str(failure.value).endswith("; mend it, or let it return None for a completion it cannot score")
    assert failure.value.exit_code == 3
    assert isinstance(failure.value.__cause__, ValueError)


def test_an_error_of_gpo_inside_is_not_told_twice():
    def misled(completions, **_):
        raise SpecError("no column")

    with pytest.raises(SpecError, match=r"^no column$"):
        checked(misled)


def test_an_interrupt_passes():
    def slow(completions, **_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        checked(slow)


def test_what_is_no_callable_is_refused():
    with pytest.raises(PluginError, match=r"^7 \(int\) is not a reward; pass a callable or a reward model$"):
        checked_rewards([7])


def test_a_class_is_refused():
    with pytest.raises(PluginError, match=r'^reward "Judge" is a class; pass an instance: Judge\(\)$'):
        checked_rewards([Judge])


def test_a_coroutine_from_a_plain_function_is_refused():
    async def later(completions):
        return [1.0]

    with pytest.raises(PluginError, match=r'^reward "lambda" returned a coroutine; define it with "async def"$'):
        checked(lambda completions: later(completions))


def test_names_and_rewards_must_match_in_number():
    with pytest.raises(ValueError, match=r"^there are 1 names for 2 rewards$"):
        checked_rewards([length, length], ["a"])


# Keywords


def test_all_keywords_go_through():
    seen = {}

    def greedy(**keywords):
        seen.update(keywords)
        return [0.0]

    checked(greedy, answer=["7"])
    assert set(seen) == {
        "prompts", "completions", "completion_ids", "answer", "trainer_state", "log_extra", "log_metric",
    }  # fmt: skip


def test_a_reward_gets_only_what_it_names():
    def picky(completions, answer, weight=2.0):
        return [float(text == gold) * weight for text, gold in zip(completions, answer, strict=True)]

    assert checked(picky, answer=["c"]) == [2.0]


def test_a_missing_column_is_named():
    def picky(completions, solution):
        return [1.0]

    with pytest.raises(PluginError) as refusal:
        checked(picky, answer=["c"])
    assert str(refusal.value) == (
        'reward "picky" needs "solution", which is neither a data column nor one of what gpo gives to rewards; '
        "there are: answer, completion_ids, completions, log_extra, log_metric, prompts, trainer_state"
    )


# Async


async def judged(completions, **_):
    return [np.float32(0.5), None]


@pytest.mark.parametrize("reward", [judged, functools.partial(judged, temperature=1.0)])
def test_an_async_reward_stays_async(reward):
    wrapped = checked_rewards([reward])[0]
    assert inspect.iscoroutinefunction(wrapped)
    assert asyncio.run(call(wrapped, rows=2)) == [0.5, None]


def test_an_async_instance_becomes_an_async_function():
    wrapped = checked_rewards([AsyncJudge()])[0]
    assert inspect.iscoroutinefunction(wrapped)
    assert asyncio.run(call(wrapped)) == [1.0]


def test_an_error_inside_an_async_reward_names_it():
    async def broken(completions, **_):
        raise RuntimeError("offline")

    with pytest.raises(PluginError, match=r'^reward "broken" failed on a batch of 1: RuntimeError: offline'):
        asyncio.run(call(checked_rewards([broken])[0]))


def test_a_plain_reward_stays_plain():
    assert not inspect.iscoroutinefunction(checked_rewards([length])[0])


def test_a_reward_that_exits_is_named():
    def leaves(completions, **kwargs):
        raise SystemExit(0)

    (reward,) = checked_rewards([leaves])
    with pytest.raises(PluginError, match=r'^reward "leaves" failed on a batch of 1: SystemExit: 0'):
        reward(completions=["a"])


@pytest.mark.parametrize("value", [1e300, -1e39])
def test_a_reward_beyond_32_bits_is_refused(value):
    (reward,) = checked_rewards([lambda completions, **kwargs: [value]])
    with pytest.raises(PluginError, match="for row 0, which 32 bits cannot hold; return a smaller number"):
        reward(completions=["a"])
