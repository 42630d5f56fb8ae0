"""The model that ships: its size, its loading, and that it does what its figures say."""

import json
import math

import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from examples.embedded_model.make_model import Recipe, encode
from examples.embedded_model.measure import measure, render
from gpocli.embedded import MODEL_PATH
from gpocli.embedded.task import Sum, rows

FIGURES = json.loads((MODEL_PATH / "figures.json").read_text())


@pytest.fixture(scope="module")
def model():
    torch.set_num_threads(1)
    return AutoModelForCausalLM.from_pretrained(MODEL_PATH)


@pytest.fixture(scope="module")
def tokenizer():
    return AutoTokenizer.from_pretrained(MODEL_PATH)


def test_weights_are_small():
    assert (MODEL_PATH / "model.safetensors").stat().st_size <= 4_000_000


def test_loads_as_a_qwen3_in_single_precision(model):
    assert type(model).__name__ == "Qwen3ForCausalLM"
    assert model.dtype == torch.float32
    assert model.num_parameters() == FIGURES["parameters"]


def test_generation_config_sets_no_sampling(model):
    assert model.generation_config.to_diff_dict().keys() - {"transformers_version"} == {"eos_token_id", "pad_token_id"}


def test_end_token_is_the_tokenizers(model, tokenizer):
    assert model.generation_config.eos_token_id == model.config.eos_token_id == tokenizer.eos_token_id
    assert model.generation_config.pad_token_id == model.config.pad_token_id == tokenizer.pad_token_id


def test_template_renders_what_the_model_was_trained_on(tokenizer):
    row = {"prompt": [{"role": "user", "content": "12+34=?"}]}
    recipe = Recipe(plain_share=0.0)
    trained = encode(Sum(12, 34), tokenizer, _Random(), recipe).prompt
    assert tokenizer(render(row, tokenizer, "chat"))["input_ids"] == trained


class _Random:
    """Draws that never fall under a probability: no slip, no filler, no check."""

    def random(self):
        return 1.0


def test_start_is_partly_right_and_seldom_cut():
    for kind in ("chat", "plain"):
        assert 0.4 <= FIGURES[kind]["accuracy"] <= 0.8
        assert FIGURES[kind]["truncated"] <= 0.05


@pytest.mark.parametrize("kind", ["chat", "plain"])
def test_figures_hold(model, tokenizer, kind):
    again = measure(model, tokenizer, 128, kind=kind, seed=1)
    # Both are samples: the difference of the two has the variances of both.
    allowed = 3 * math.hypot(again.standard_error, FIGURES[kind]["standard_error"])
    assert abs(again.accuracy - FIGURES[kind]["accuracy"]) <= allowed


def test_measurement_is_the_same_for_the_same_seed(model, tokenizer):
    assert measure(model, tokenizer, 16) == measure(model, tokenizer, 16)


def test_eval_rows_render_through_the_template(tokenizer):
    assert render(rows("eval", 1)[0], tokenizer, "chat") == "<|user|>588+466=?<|assistant|>"
