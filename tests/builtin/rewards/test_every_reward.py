"""What holds for every built-in reward that the registry has."""

import asyncio
import inspect
import math
import random

import pytest

from gpocli.contracts.option_docs import option_docs
from gpocli.contracts.reward import checked_rewards
from gpocli.data import gather
from gpocli.errors import EnvironmentFault
from gpocli.plugin_manager import load_plugins
from gpocli.trial.made_up import made_up, options_for
from gpocli.trial.reward import try_reward
from gpocli.trial.samples import reward_arguments
from tests.builtin.rewards.judge_server import judge_server
from tests.conftest import save_reward_model

HOST = load_plugins(entry_points=False)
PROMPTS = {"text": "2+2=?", "chat": [{"role": "user", "content": "2+2=?"}]}

OPTIONS = {}
"""Of rewards that have no sound defaults."""


@pytest.fixture(scope="module", autouse=True)
def judges(tmp_path_factory):
    OPTIONS["model"] = {"path": str(save_reward_model(tmp_path_factory.mktemp("reward_model")))}
    with judge_server() as url:
        OPTIONS["judge"] = {"url": url, "model": "m", "cache": None}
        yield


every_reward = pytest.mark.parametrize("name", HOST.rewards)


def build(name):
    """A reward with the options that a run would give it."""
    try:
        return HOST.build_reward(name, options_for(HOST.rewards[name].extension) | OPTIONS.get(name, {}))
    except EnvironmentFault as missing:
        pytest.skip(str(missing))


def samples(prompt="2+2=?"):
    """Seven completions of each of two rows, which have the columns that any reward needs."""
    columns = {"prompt": prompt, "metadata": {"source_dataset": "chain_sum"}, "tests": ["assert True"]}
    return made_up(gather("here", [(line, {**columns, "answer": str(line)}) for line in (1, 2)]))


def values(name, *, chat=False, order=None):
    reward = build(name)
    (function,) = checked_rewards([reward.function], [name])
    arguments = reward_arguments(samples(), chat=chat)
    lists = {key: value for key, value in arguments.items() if isinstance(value, list)}
    chosen = {key: [value[i] for i in order] for key, value in lists.items()} if order is not None else {}
    returned = function(**arguments | chosen)
    return asyncio.run(returned) if inspect.iscoroutine(returned) else returned


@every_reward
def test_text_and_messages_are_worth_the_same(name):
    if getattr(build(name).function, "sees_form", False):
        return
    assert values(name, chat=True) == values(name)


@every_reward
def test_values_are_finite_or_none(name):
    assert all(value is None or math.isfinite(value) for value in values(name))


@every_reward
def test_a_value_belongs_to_its_completion(name):
    order = random.Random(0).sample(range(14), 14)
    in_place = values(name)
    assert values(name, order=order) == [in_place[i] for i in order]


@every_reward
def test_no_completions_have_no_values(name):
    assert values(name, order=[]) == []


@every_reward
@pytest.mark.parametrize("prompt", PROMPTS.values(), ids=PROMPTS)
def test_a_trial_finds_no_fault(name, prompt):
    assert try_reward(build(name), name, samples(prompt), declares=True).faults == []


@every_reward
def test_it_is_built_under_its_own_name_with_its_columns(name):
    reward = build(name)
    assert (reward.name, reward.columns) == (name, HOST.rewards[name].extension.columns)


@every_reward
def test_every_option_says_what_it_is(name):
    assert all(option.doc for option in option_docs(HOST.rewards[name].extension.options))
