"""What of a model goes together."""

import pytest
from pydantic import ValidationError

from gpocli.settings.model import LoraSpec, ModelSpec


def test_quantized_weights_need_an_adapter():
    with pytest.raises(ValidationError, match=r"4bit weights cannot be trained; write lora: \{rank: 16\} as well"):
        ModelSpec(quantization="4bit")
    assert ModelSpec(quantization="4bit", lora=LoraSpec()).lora.rank == 16


def test_an_adapter_is_somewhere():
    with pytest.raises(ValidationError, match="names no layer; write all-linear, or a list of layer names"):
        LoraSpec(target_modules=[])
