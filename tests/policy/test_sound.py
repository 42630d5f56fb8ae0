"""Tokenizers and weights that cannot be trained are refused when they are loaded."""

import json
import shutil

import pytest
import torch
from transformers import AutoTokenizer

from gpocli.data.rows import gather
from gpocli.data.tokenizer import prompt_ids, prompt_texts
from gpocli.errors import SpecError
from gpocli.policy.load import find_policy
from gpocli.policy.sound import refuse_appended_end, require_embedded, require_finite
from gpocli.settings.model import ModelSpec

NO_END = {"config": {"eos_token_id": None}, "generation_config": {"eos_token_id": None}}
MUTE = {"tokenizer_config": {"eos_token": None}}


@pytest.fixture
def change(tmp_path, tiny_model):
    """A copy of the tiny model with values in its JSON files replaced."""

    def change_files(**files):
        folder = shutil.copytree(tiny_model, tmp_path / "m")
        for name, values in files.items():
            file = folder / f"{name}.json"
            file.write_text(json.dumps(json.loads(file.read_text()) | values))
        return str(folder)

    return change_files


def test_a_model_without_any_end_token_is_refused(change):
    with pytest.raises(SpecError, match="has no end token, neither in its tokenizer nor in its config"):
        find_policy(ModelSpec(name=change(**NO_END, **MUTE)))


def test_the_end_of_the_model_is_the_tokenizers_where_that_has_none(change):
    tokenizer = find_policy(ModelSpec(name=change(**MUTE, generation_config={"eos_token_id": [1, 5]}))).tokenizer
    assert (tokenizer.eos_token, tokenizer.eos_token_id) == ("<eos>", 1)


def test_special_tokens_and_prompts_stay_within_the_embedding(change):
    folder = change(config={"vocab_size": 40})
    policy = find_policy(ModelSpec(name=folder))
    rows = gather("a.jsonl", [(1, {"prompt": "ab"}), (2, {"prompt": "a+b"})])
    ids = prompt_ids(rows, policy.tokenizer)
    assert policy.rows == 40
    with pytest.raises(SpecError) as caught:
        require_embedded("m", policy.tokenizer, rows, ids, policy.rows)
    assert str(caught.value) == (  # <pad> <eos> <unk>, 26 letters, 10 digits, a blank: + is number 40
        "a.jsonl:2: the prompt holds '+', which is number 40 of the tokenizer of model 'm', but its embedding has 40 "
        "rows; take it out, or resize the embedding and save the model again"
    )
    require_embedded("m", policy.tokenizer, rows, ids, 41)
    require_embedded("m", policy.tokenizer, rows, ids, None)


def test_a_padding_token_beyond_the_embedding_is_refused(change):
    with pytest.raises(
        SpecError, match=r"the eos_token '<eos>' of model '.*' is number 1 of its tokenizer, but its emb"
    ):
        find_policy(ModelSpec(name=change(config={"vocab_size": 1})))


def test_a_tokenizer_that_ends_every_prompt_is_refused_and_the_preview_shows_it(change):
    folder = change()
    file = f"{folder}/tokenizer.json"
    ends = {
        "type": "TemplateProcessing",
        "single": [{"Sequence": {"id": "A", "type_id": 0}}, {"SpecialToken": {"id": "<eos>", "type_id": 0}}],
        "pair": [{"Sequence": {"id": "A", "type_id": 0}}],
        "special_tokens": {"<eos>": {"id": "<eos>", "ids": [1], "tokens": ["<eos>"]}},
    }
    with open(file) as text:
        whole = json.load(text)
    with open(file, "w") as text:
        json.dump({**whole, "post_processor": ends}, text)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    rows = gather("a.jsonl", [(1, {"prompt": "a+b"})])
    assert prompt_ids(rows, tokenizer)[0][-1] == 1
    assert prompt_texts(rows, tokenizer) == ["a+b<eos>"]
    with pytest.raises(SpecError, match="puts its end token '<eos>' behind every prompt"):
        refuse_appended_end("m", tokenizer)


def test_a_usual_tokenizer_ends_none(tiny_model):
    refuse_appended_end("m", AutoTokenizer.from_pretrained(tiny_model))


def test_a_weight_that_is_no_number_is_named():
    weights = {"a": torch.ones(3), "b": torch.tensor([1.0, float("nan")]), "c": torch.tensor([float("inf"), 1.0])}
    with pytest.raises(SpecError) as caught:
        require_finite("m", weights.items())
    assert str(caught.value).startswith(
        "model 'm' has weights that are no finite numbers (NaN or infinity) in 'b' and 1 more; its files are damaged"
    )


def test_weights_that_only_sum_to_infinity_are_sound_and_so_are_packed_ones():
    large = torch.full((4,), 3e38)
    require_finite("m", [("a", large), ("b", torch.zeros(0)), ("c", torch.ones(2, dtype=torch.uint8))])
    require_finite("m", [("d", torch.ones(2, device="meta")), ("e", torch.ones(2).to(torch.float8_e4m3fn))])
