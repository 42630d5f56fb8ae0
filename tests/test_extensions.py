"""The records of a plugin."""

from typing import Literal

import pytest
from pydantic import ValidationError

from gpocli.extensions import AlgorithmExtension, FilterExtension, NoOptions
from gpocli.settings.algorithm import AlgorithmSection, FilteredSection


class Plain(AlgorithmSection):
    type: Literal["x"] = "x"


class Filtered(FilteredSection):
    type: Literal["x"] = "x"


@pytest.mark.parametrize(("section", "filters"), [(Plain, False), (Filtered, True)])
def test_an_algorithm_filters_where_its_section_has_filters(section, filters):
    assert AlgorithmExtension("x", "X", "summary", "paper", section).takes_filters == filters


def test_no_options_are_no_options():
    assert FilterExtension("x", lambda options: len, "summary").options is NoOptions
    with pytest.raises(ValidationError):
        NoOptions(level=1)
