"""The server that samples, as a spec names it."""

import pytest
from pydantic import ValidationError

from gpocli.settings.sampling import SamplingSpec, VllmSpec


def test_a_server_needs_its_engine():
    with pytest.raises(ValidationError, match="does not sample with engine: auto; write engine: vllm as well"):
        SamplingSpec(vllm=VllmSpec())
    assert SamplingSpec(engine="vllm", vllm=VllmSpec()).vllm.sync == "plugin"


def test_an_address_has_a_scheme():
    with pytest.raises(ValidationError, match="url"):
        VllmSpec(url="gpu7:8000")
