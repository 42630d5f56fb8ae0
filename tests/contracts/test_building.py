"""An extension record is built with checked options, and what its build gives is checked."""

import pytest
from pydantic import BaseModel

from gpocli.contracts.building import NamedReward, build_extension, built, named_reward
from gpocli.contracts.filter import NamedFilter
from gpocli.errors import PluginError, SpecError
from gpocli.extensions import FilterExtension, GuardExtension, RewardExtension


class Options(BaseModel):
    weight: float = 1.0


def reward(build, **told):
    return RewardExtension("mine", build, "", **told)


def failing(options):
    return 1 / 0


def steps(completions, min_steps, finished, bonus=1):
    return [0.0 for _ in completions]


def test_a_filter_and_a_reward_keep_their_names():
    assert build_extension(FilterExtension("long", lambda options: len, ""), {}) == NamedFilter("long", len)
    assert build_extension(reward(lambda options: steps), {}) == NamedReward("mine", steps, ("min_steps",))


def test_options_reach_the_build_as_the_model_that_checked_them():
    given = []
    built(reward(lambda options: given.append(options) or steps, options=Options), "mine", "here", {"weight": "2.5"})
    assert given == [Options(weight=2.5)]
    with pytest.raises(SpecError, match=r"^reward 'mine': unknown option 'wieght'; did you mean 'weight'"):
        built(reward(lambda options: steps, options=Options), "mine", "here", {"wieght": 2})


@pytest.mark.parametrize(
    ("extension", "message"),
    [
        (
            reward(failing),
            "reward 'mine' of here could not be built: ZeroDivisionError: division by zero "
            f"(test_building.py:{failing.__code__.co_firstlineno + 1}); check its options",
        ),
        (reward(lambda options: 7), "reward 'mine' of here built 7 (int); its build must return a callable"),
        (
            GuardExtension("mine", lambda options: 7, ""),
            "guard 'mine' of here built 7 (int); its build must return an object with check",
        ),
    ],
)
def test_a_build_that_fails_or_gives_something_else_is_told(extension, message):
    with pytest.raises(PluginError) as caught:
        built(extension, "mine", "here", {})
    assert str(caught.value) == message


def test_an_error_that_is_already_told_passes():
    def build(options):
        raise SpecError("weight must be at least 1")

    with pytest.raises(SpecError, match=r"^weight must be at least 1$"):
        built(reward(build), "mine", "here", {})


def test_columns_of_a_reward_are_declared_by_it_or_by_what_was_built_or_taken_without_default():
    class Built:
        columns = ("gold",)

        def __call__(self, completions, answer, **kwargs): ...

    assert named_reward(reward(None, columns=("answer",)), steps).columns == ("answer", "min_steps")
    assert named_reward(reward(None, columns=("x",)), Built()).columns == ("gold", "answer")
