"""What a trainer config is made with."""

import pytest
import torch

from gpocli.errors import SpecError
from gpocli.training.config import device_type, named, of_processes, refused_options


def refuse(error):
    with refused_options():
        raise error


def test_what_trl_refuses_is_a_fault_of_the_spec_in_one_line():
    with pytest.raises(SpecError) as told:
        refuse(ValueError("\nno such thing\nof many lines"))
    assert str(told.value) == ("TRL refuses the options of this run: no such thing; see the `trl` section of the spec")


def test_what_gpo_refuses_stays_as_it_is():
    error = SpecError("keep is too much")
    with pytest.raises(SpecError) as told:
        refuse(error)
    assert told.value is error


def test_a_class_is_found_by_its_place():
    from gpocli import GFPOConfig

    assert named("gpocli.trainers.gfpo:GFPOConfig") is GFPOConfig


def test_one_process_has_no_backend():
    assert of_processes({"ddp_backend": "gloo", "seed": 0}, 1) == {"seed": 0}
    assert of_processes({"ddp_backend": "gloo", "seed": 0}, 2) == {"ddp_backend": "gloo", "seed": 0}


def test_the_device_is_one_of_torch():
    assert device_type() == ("cuda" if torch.cuda.is_available() else device_type())
    torch.zeros(1, device=device_type())
