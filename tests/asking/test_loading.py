"""What is loaded to be asked is the model that was named, with the ends and settings of training."""

import json
import shutil

import pytest
import torch
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM

from gpocli.asking.loading import load_sampler
from gpocli.asking.source import find_asked
from gpocli.embedded import MODEL_PATH
from gpocli.errors import SpecError


def test_the_settings_are_those_of_the_spec_and_the_ends_those_of_the_model(tiny_model, tmp_path):
    shutil.copytree(tiny_model, tmp_path / "m")
    file = tmp_path / "m" / "generation_config.json"
    config = json.loads(file.read_text()) if file.is_file() else {}
    file.write_text(json.dumps(config | {"eos_token_id": [5, 7]}))
    loaded = load_sampler(find_asked(f"{tmp_path}/m", ["sampling={max_tokens: 9, top_p: 0.5, min_p: 0.1}"]).spec)
    settings = loaded.settings
    assert (settings.max_new_tokens, settings.top_p, settings.min_p, settings.temperature) == (9, 0.5, 0.1, 1.0)
    assert settings.eos_token_ids == (loaded.tokenizer.eos_token_id, 5, 7)
    assert loaded.context == 128


def test_an_adapter_is_put_on_its_base(tmp_path):
    base = AutoModelForCausalLM.from_pretrained(MODEL_PATH)
    whole = next(base.parameters()).clone()
    adapted = get_peft_model(base, LoraConfig(target_modules="all-linear", r=2, init_lora_weights=False))
    adapted.peft_config["default"].base_model_name_or_path = str(MODEL_PATH)
    adapted.save_pretrained(tmp_path)
    loaded = load_sampler(find_asked(str(tmp_path)).spec)
    ids = torch.tensor([[3, 4, 5]])
    with torch.no_grad():
        assert torch.allclose(loaded.model(ids).logits, adapted.eval()(ids).logits, atol=1e-5)
    assert torch.equal(next(loaded.model.parameters()), whole)


def test_a_model_that_gpo_cannot_draw_from_says_why(tiny_model, tmp_path):
    shutil.copytree(tiny_model, tmp_path / "m")
    (tmp_path / "m" / "generation_config.json").write_text('{"no_repeat_ngram_size": 2}')
    with pytest.raises(SpecError, match="its generation_config sets no_repeat_ngram_size; take that out"):
        load_sampler(find_asked(f"{tmp_path}/m").spec)
