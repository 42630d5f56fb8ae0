"""Weights are spread as was asked."""

import pytest

from gpocli.errors import EnvironmentFault
from gpocli.training.sharding import asked_for, refuse_another_kind, require_packages

ASKED = {
    "by an option": ({"fsdp": "full_shard"}, {}, {"FSDP": "trl.fsdp"}),
    "by accelerate launch": (
        {},
        {"ACCELERATE_USE_DEEPSPEED": "true"},
        {"DEEPSPEED": "ACCELERATE_USE_DEEPSPEED, of accelerate launch"},
    ),
    "FSDP by accelerate launch": (
        {},
        {"ACCELERATE_USE_FSDP": "1"},
        {"FSDP": "ACCELERATE_USE_FSDP, of accelerate launch"},
    ),
    "not at all": ({"fsdp": "", "deepspeed": None}, {"ACCELERATE_USE_FSDP": "false"}, {}),
}


@pytest.mark.parametrize(("options", "environment", "asked"), ASKED.values(), ids=ASKED)
def test_what_was_asked_for(options, environment, asked):
    assert asked_for(options, environment) == asked


@pytest.mark.parametrize(
    ("kind", "name", "by_what", "got"),
    [
        ("FSDP", "FSDP", "trl.fsdp", "MULTI_CPU"),
        ("DEEPSPEED", "DeepSpeed", "ACCELERATE_USE_DEEPSPEED, of accelerate launch", "NO"),
    ],
)
def test_what_accelerate_leaves_out_is_refused(kind, name, by_what, got):
    with pytest.raises(EnvironmentFault) as caught:
        refuse_another_kind({kind: by_what}, got)
    assert str(caught.value) == (
        f"{name} was asked for ({by_what}), but accelerate leaves it out here ({got}): take it away, or start the run "
        "with accelerate launch or torchrun on GPUs"
    )


@pytest.mark.parametrize(("asked", "got"), [({"FSDP": "x"}, "FSDP"), ({}, "MULTI_GPU")])
def test_what_was_asked_for_is_taken(asked, got):
    refuse_another_kind(asked, got)


def test_deepspeed_that_is_not_installed_is_told(monkeypatch):
    monkeypatch.setattr("gpocli.training.sharding.find_spec", lambda name: None)
    with pytest.raises(EnvironmentFault) as caught:
        require_packages({"DEEPSPEED": "trl.deepspeed"})
    assert str(caught.value) == (
        "DeepSpeed was asked for (trl.deepspeed), which is not installed; pip install 'gpocli[deepspeed]'"
    )
    require_packages({"FSDP": "trl.fsdp"})
