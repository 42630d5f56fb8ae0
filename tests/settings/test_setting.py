from typing import Annotated

import pytest
from pydantic import Field

from gpocli.settings.section import Section
from gpocli.settings.setting import Setting, declared, passed_on, setting_of


class Part(Section):
    weight: Annotated[float, Setting("weights")] = 1.0


class Base(Section):
    rate: Annotated[float, Setting("lr", owns=("lr_end",), aliases=("speed",))] = 0.1
    parts: list[Part] = Field(default_factory=list)
    inner: Part | None = None


class Narrower(Base):
    rate: float = 0.2
    every: Annotated[
        int | None, Setting("steps", unless=None, derived={"strategy": lambda n: "no" if n is None else n})
    ] = None
    limit: Annotated[int | None, Setting("nested.limit", null=-1)] = None


def test_a_class_that_narrows_a_field_keeps_what_it_declares():
    assert setting_of(Narrower, "rate").owned == ("lr", "lr_end")
    assert setting_of(Narrower, "inner") == Setting()


def test_paths_lead_through_sections_and_lists():
    paths = [one.path for one in declared(Narrower, "a.")]
    assert paths == ["a.rate", "a.parts", "a.parts.0.weight", "a.inner", "a.inner.weight", "a.every", "a.limit"]


@pytest.mark.parametrize(
    ("section", "options"),
    [
        (Base(), {"lr": 0.1}),
        (Narrower(), {"lr": 0.2, "strategy": "no", "nested.limit": -1}),
        (Narrower(every=3, limit=4), {"lr": 0.2, "strategy": 3, "steps": 3, "nested.limit": 4}),
        (Base(parts=[Part(), Part(weight=2.0)]), {"lr": 0.1, "weights": [1.0, 2.0]}),
        (Base(inner=Part(weight=3.0)), {"lr": 0.1, "weights": 3.0}),
    ],
)
def test_what_the_trainer_gets(section, options):
    assert passed_on(section) == options
