"""Options are checked by their own model, and every fault is told at once with its cure."""

import pytest
from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from gpocli.contracts.options import OptionProblem, OptionsError, checked_options
from gpocli.errors import SpecError
from gpocli.extensions import NoOptions


class Inner(BaseModel):
    model_config = ConfigDict(extra="forbid")
    low: int = 0


class Options(BaseModel):
    """A model that, as pydantic does by default, would ignore unknown names."""

    weight: float = Field(default=1.0, ge=0)
    limits: list[int] = []
    inner: Inner = Inner()
    needed: str

    @field_validator("needed")
    @classmethod
    def one_word(cls, value: str) -> str:
        if " " in value:
            raise ValueError("Write one word")
        return value


def problems(given, model=Options):
    with pytest.raises(OptionsError) as caught:
        checked_options(model, given, "filter 'f'")
    return list(caught.value.problems)


def test_good_options_become_an_object_of_the_model():
    assert checked_options(Options, {"needed": "x", "weight": 2}, "filter 'f'") == Options(needed="x", weight=2.0)


def test_unknown_name_is_refused_even_by_a_model_that_ignores_it():
    assert problems({"needed": "x", "wieght": 2}) == [
        OptionProblem(("wieght",), "unknown option 'wieght'; did you mean 'weight'?")
    ]


def test_all_faults_are_told_at_once():
    with pytest.raises(SpecError) as caught:
        checked_options(Options, {"weight": -1, "speed": 3}, "filter 'f'")
    assert str(caught.value) == (
        "filter 'f': unknown option 'speed'; there are: inner, limits, needed, weight; and "
        "option 'weight' is -1; it should be greater than or equal to 0; and option 'needed' is missing; write it"
    )
    assert caught.value.exit_code == 2


def test_place_inside_an_option_is_kept():
    assert problems({"needed": "x", "limits": [1, "b"], "inner": {"lo": 1}}) == [
        OptionProblem(
            ("limits", 1),
            "option 'limits[1]' is 'b'; it should be a valid integer, unable to parse string as an integer",
        ),
        OptionProblem(("inner", "lo"), "unknown option 'inner.lo'; remove it"),
    ]


def test_words_of_the_models_own_validator_are_kept():
    assert problems({"needed": "two words"}) == [
        OptionProblem(("needed",), "option 'needed' is 'two words'; write one word")
    ]


def test_rule_over_several_options_speaks_for_itself():
    class Range(BaseModel):
        low: int = 0
        high: int = 0

        @model_validator(mode="after")
        def in_order(self):
            if self.low > self.high:
                raise ValueError(f"low is {self.low}, above high; lower it to {self.high}")
            return self

    assert problems({"low": 3, "high": 2}, Range) == [OptionProblem((), "low is 3, above high; lower it to 2")]


def test_no_options_at_all():
    assert problems({"x": 1}, NoOptions) == [OptionProblem(("x",), "unknown option 'x'; there are none")]
    assert checked_options(NoOptions, {}, "filter 'f'") == NoOptions()


def test_aliases_are_the_names_that_count():
    class Aliased(BaseModel):
        kind: str = Field(alias="type")

    assert checked_options(Aliased, {"type": "a"}, "f").kind == "a"
    assert [problem.text for problem in problems({"kind": "a"}, Aliased)] == [
        "unknown option 'kind'; there are: type",
        "option 'type' is missing; write it",
    ]


def test_model_that_takes_anything_takes_anything():
    class Open(BaseModel):
        model_config = ConfigDict(extra="allow")

    assert checked_options(Open, {"x": 1}, "f").model_extra == {"x": 1}
