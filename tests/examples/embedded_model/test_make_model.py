"""Making the embedded model: batches, labels, and the same result for the same seed."""

import json
import random
from itertools import islice

import pytest
import torch

from examples.embedded_model.make_model import IGNORED, Example, Recipe, batches, collate, make, train
from examples.embedded_model.tokenizer import build_tokenizer

SHORT = Recipe(steps=4, tokens=512, pool=16)


def test_only_completions_are_learned():
    made = collate([Example([5, 6], [7, 1]), Example([5], [8, 9, 9, 1])], pad=0)
    assert made["input_ids"].tolist() == [[5, 6, 7, 1, 0], [5, 8, 9, 9, 1]]
    assert made["attention_mask"].tolist() == [[1, 1, 1, 1, 0], [1, 1, 1, 1, 1]]
    assert made["labels"].tolist() == [[IGNORED, IGNORED, 7, 1, IGNORED], [IGNORED, 8, 9, 9, 1]]


def test_batches_hold_their_tokens_and_every_trace_of_a_pool_once():
    recipe = Recipe(tokens=600, pool=40)
    seen = 0
    for batch in batches(build_tokenizer(), random.Random(0), recipe):
        assert len(batch) * max(map(len, batch)) <= 600
        seen += len(batch)
        if seen >= 80:
            break
    assert seen == 80


def test_both_prompt_kinds_are_trained():
    recipe, tokenizer = Recipe(), build_tokenizer()
    user = tokenizer.convert_tokens_to_ids("<|user|>")
    examples = [example for batch in islice(batches(tokenizer, random.Random(0), recipe), 20) for example in batch]
    plain = sum(example.prompt[0] != user for example in examples) / len(examples)
    assert plain == pytest.approx(recipe.plain_share, abs=0.06)


@pytest.mark.slow
def test_same_seed_gives_the_same_losses_and_weights():
    torch.set_num_threads(1)
    first, _, losses = train(3, SHORT)
    second, _, losses_again = train(3, SHORT)
    assert losses == losses_again
    assert all(torch.equal(a, b) for a, b in zip(first.parameters(), second.parameters(), strict=True))


@pytest.mark.slow
def test_make_writes_model_tokenizer_and_figures(tmp_path):
    reached = make(tmp_path, seed=0, recipe=SHORT)
    assert json.loads((tmp_path / "figures.json").read_text()) == reached
    assert {path.name for path in tmp_path.iterdir()} == {
        "chat_template.jinja",
        "config.json",
        "figures.json",
        "generation_config.json",
        "model.safetensors",
        "tokenizer.json",
        "tokenizer_config.json",
    }
