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


NOT_A_SERVERS = "url: null goes with sync: lora, not with {}; write sampling.vllm: null, or sync: lora"
STARTED = "url: null is vLLM in the training process, and start: true starts a server; write its url, or start: false"
NO_SERVER = {
    "nccl": ({"sync": "nccl"}, NOT_A_SERVERS.format("nccl")),
    "plugin, which is the default": ({}, NOT_A_SERVERS.format("plugin")),
    "one to start": ({"sync": "lora", "start": True}, STARTED),
}


@pytest.mark.parametrize(("settings", "text"), NO_SERVER.values(), ids=NO_SERVER)
def test_vllm_in_the_process_is_no_server(settings, text):
    with pytest.raises(ValidationError) as caught:
        VllmSpec(url=None, **settings)
    assert [(error["loc"], error["msg"]) for error in caught.value.errors()] == [(("url",), text)]
    assert VllmSpec(url=None, sync="lora").url is None
