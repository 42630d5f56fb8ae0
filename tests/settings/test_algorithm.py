"""What every algorithm has, and the rules of those that filter."""

import pytest
from pydantic import ValidationError

from gpocli.settings.algorithm import AlgorithmSection, FilteredSection, FilterSpec, ratios_are_one


def section(**values):
    return FilteredSection(type="x", **values)


def faults(**values):
    with pytest.raises(ValidationError) as caught:
        section(**values)
    return [(error["loc"], error["msg"]) for error in caught.value.errors()]


def test_a_bare_name_is_a_filter():
    assert section(filters=["length"]).filters == [FilterSpec(name="length", options={})]


@pytest.mark.parametrize(("group_size", "kept"), [(8, 4), (2, 2), (5, 2)])
def test_a_filter_alone_keeps_half(group_size, kept):
    assert section(group_size=group_size, filters=["length"]).kept == kept


def test_without_a_filter_all_are_kept():
    assert (section().kept, section().chain) == (None, [])
    assert (AlgorithmSection(type="x").kept, AlgorithmSection(type="x").chain) == (None, [])


@pytest.mark.parametrize(
    ("values", "fault"),
    [
        (
            {"group_size": 4, "keep": 5, "filters": ["length"]},
            (("keep",), "keep 5 is more than group_size 4; write keep: 4 or less"),
        ),
        ({"keep": 4}, (("keep",), "4 are to be kept, but no filter chooses them; write filters: [length] as well")),
        (
            {"keep": None, "filters": ["length"]},
            (("filters",), "a filter needs the number to keep of 8; write keep: 4 as well"),
        ),
        (
            {"keep": 4, "filters": ["length", "length"]},
            (("filters",), "filter 'length' is there twice with the same options; remove one"),
        ),
    ],
)
def test_keep_and_filters_go_together(values, fault):
    assert faults(**values) == [fault]


def test_one_filter_may_stand_twice_with_other_options():
    filters = [{"name": "random"}, {"name": "random", "options": {"seed": 1}}]
    assert len(section(filters=filters).chain) == 2


def test_a_filter_that_keeps_all_is_noticed():
    assert section(keep=4, group_size=8, filters=["length"]).notices(1) == []
    (notice,) = section(keep=8, group_size=8, filters=["length"]).notices(1)
    assert notice.startswith("the filter of x chooses nothing here: all 8 candidates of a group are kept")


@pytest.mark.parametrize(
    ("terms", "told"),
    [
        ({"beta": 0.1}, "the KL term (algorithm.beta 0.1)"),
        ({"beta": 0.1, "entropy_coef": 1e-3}, "the KL term (algorithm.beta 0.1) and the entropy bonus"),
    ],
)
def test_terms_that_flat_groups_are_left_out_of_are_noticed(terms, told):
    assert section(flat_groups="train", **terms).notices(1) == []
    assert section(flat_groups="skip").notices(1) == []
    (notice,) = section(flat_groups="refill", **terms).notices(1)
    assert notice.startswith(f"algorithm.flat_groups: refill leaves flat groups out of {told}")


def test_ratios_of_one_update_are_noticed():
    assert ratios_are_one("gmpo", "grpo", 8, 8) == []
    (notice,) = ratios_are_one("gmpo", "grpo", 1, 8)
    assert notice.endswith("write batch.updates_per_generation: 8, as in its paper")
