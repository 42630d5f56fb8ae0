"""The engine in the process that is given the adapter alone; tests/trainers/engines/test_vllm_colocated.py trains."""

import pytest
from peft import LoraConfig

from gpocli.errors import SpecError
from gpocli.trainers.adapter_generation import AdapterGeneration, engine_options


class Engine:
    """Nothing has replaced its `generate`."""


def test_the_engine_has_room_for_the_rank(gfpo):
    model = gfpo(peft_config=LoraConfig(r=9, target_modules="all-linear")).model
    assert engine_options(model) == {"enable_lora": True, "max_lora_rank": 16, "max_loras": 1}


def test_trls_own_way_would_ask_the_base_model_and_is_refused():
    generation = AdapterGeneration.__new__(AdapterGeneration)
    generation.llm = Engine()
    with pytest.raises(SpecError, match=r"does not sample from images; write sampling\.vllm: null"):
        generation.generate([], None, 1)
