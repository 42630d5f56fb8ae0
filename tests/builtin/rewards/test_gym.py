"""`gym`: the own scorer of a task; without the package, what to install."""

from importlib.util import find_spec

import pytest

from gpocli.data.gym import gym_rows
from gpocli.errors import EnvironmentFault, SpecError
from gpocli.plugin_manager import load_plugins

needs_gym = pytest.mark.skipif(find_spec("reasoning_gym") is None, reason="reasoning-gym is an extra")


@pytest.mark.skipif(find_spec("reasoning_gym") is not None, reason="reasoning-gym is installed")
def test_a_missing_package_is_named_before_a_run():
    with pytest.raises(EnvironmentFault) as error:
        load_plugins(entry_points=False).build_reward("gym")
    assert str(error.value) == "needs reasoning-gym, which is not installed; pip install 'gpocli[gym]'"


@pytest.fixture
def score():
    reward = load_plugins(entry_points=False).build_reward("gym").function
    row = gym_rows("gym:chain_sum?size=1")[0]

    def score(text, **columns):
        (value,) = reward([text], **{"answer": [row["answer"]], "metadata": [row["metadata"]], **columns})
        return value, row["answer"]

    return score


@needs_gym
@pytest.mark.parametrize(
    "text",
    ["{}", " {} ", "<think>1</think>{}", "so\n<answer>{}</answer>", r"so \boxed{{{}}}", "The answer is {}."],
)
def test_a_right_answer_is_found_and_paid(score, text):
    answer = gym_rows("gym:chain_sum?size=1")[0]["answer"]
    assert score(text.format(answer)) == (1.0, answer)
    chat = [{"role": "assistant", "content": text.format(answer)}]
    assert score(chat) == (1.0, answer)


@needs_gym
def test_a_wrong_answer_and_open_thinking_are_not_paid(score):
    assert score("12345678")[0] < 0.1
    assert score("<think>12")[0] == 0.0


@needs_gym
def test_rows_of_no_task_are_refused(score):
    with pytest.raises(SpecError, match=r"use data such as gym:chain_sum$"):
        score("1", metadata=[None])
