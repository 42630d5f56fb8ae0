"""A vLLM server in an environment with gpo has its weight transfer."""

from importlib.metadata import entry_points

import pytest

from gpocli.serving import vllm_plugin


def test_vllm_finds_it_by_an_entry_point():
    (found,) = [one for one in entry_points(group="vllm.general_plugins") if one.name == "gpo"]
    assert found.load() is vllm_plugin.register


@pytest.mark.vllm
def test_it_is_registered_once(real_server):
    from vllm.distributed.weight_transfer import WeightTransferEngineFactory

    vllm_plugin.register()
    vllm_plugin.register()
    engine = WeightTransferEngineFactory._registry[vllm_plugin.BACKEND]()
    assert engine.__name__ == "FolderEngine"


@pytest.mark.vllm
def test_the_server_says_so(real_server):
    config = real_server.control.get("/server_info", config_format="json")["vllm_config"]
    assert config["weight_transfer_config"] == {"backend": vllm_plugin.BACKEND}
