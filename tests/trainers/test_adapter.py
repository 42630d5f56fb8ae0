"""The adapter of a policy on its own, as PEFT saves it."""

import pytest
import torch
from peft import LoraConfig
from safetensors.torch import load_file

from gpocli.errors import SpecError
from gpocli.trainers.adapter import adapter_of, config_of, rank_of

LORA = LoraConfig(r=4, target_modules="all-linear", init_lora_weights=False, rank_pattern={"q_proj": 6})


def test_what_is_written_is_what_peft_saves(gfpo, tmp_path):
    trainer = gfpo(peft_config=LORA)
    adapter_of(trainer).write(tmp_path / "own")
    trainer.model.save_pretrained(tmp_path / "peft")
    own, peft = (load_file(tmp_path / name / "adapter_model.safetensors") for name in ("own", "peft"))
    assert own.keys() == peft.keys()
    assert all(torch.equal(own[name], peft[name]) for name in own)
    assert (tmp_path / "own" / "adapter_config.json").is_file()
    assert rank_of(trainer.model) == 6


def test_a_policy_without_an_adapter_has_none_to_send(gfpo):
    with pytest.raises(
        SpecError, match="sends a LoRA adapter alone, and the run trains none: write vllm_sync='plugin'"
    ):
        config_of(gfpo().model)
