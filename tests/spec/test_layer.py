"""Paths and places as users see them."""

import pytest

from gpocli.spec.layer import Place, dotted


def test_a_path_is_written_with_dots():
    assert dotted(("algorithm", "filters", 0, "name")) == "algorithm.filters.0.name"


@pytest.mark.parametrize(("place", "text"), [(Place("a.yaml", 3, 5), "a.yaml:3:5"), (Place("--set x=1"), "--set x=1")])
def test_a_place_has_a_position_only_in_a_file(place, text):
    assert str(place) == text
