"""Numbers of TRL's options."""

from dataclasses import fields

import pytest

from gpocli.spec.trl_bounds import BOUNDS, out_of_bounds
from gpocli.spec.trl_schema import trl_options


@pytest.mark.parametrize(
    ("name", "value", "fault"),
    [
        ("adam_beta1", 0, None),
        ("adam_beta1", 1, "1 is out of range; write a number from 0 to below 1"),
        ("delta", 0.0, "0 is out of range; write a number above 0"),
        ("ddp_timeout", 0, "0 is out of range; write a number of at least 1"),
        ("top_entropy_quantile", 1, None),
        ("top_entropy_quantile", 0, "0 is out of range; write a number above 0, at most 1"),
        ("vllm_group_port", 65536, "65536 is out of range; write a number from 1 to 65535"),
        ("hub_model_id", float("nan"), "nan is out of range; write a finite number"),
        ("adam_epsilon", float("inf"), "inf is out of range; write a number of at least 0"),
        ("pad_to_multiple_of", "auto", None),
        ("eval_delay", True, None),
    ],
)
def test_a_number_is_within_bounds(name, value, fault):
    assert out_of_bounds(name, value) == fault


def test_bounds_are_of_options_that_there_are():
    assert BOUNDS.keys() <= trl_options().keys()


def test_every_default_of_trl_is_within():
    from trl import GRPOConfig

    assert [field.name for field in fields(GRPOConfig) if out_of_bounds(field.name, field.default)] == []
