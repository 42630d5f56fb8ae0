"""What the files tell is what transformers makes of them."""

import json

import pytest
from transformers import AutoTokenizer

from gpocli.embedded import MODEL_PATH
from gpocli.policy.files import TokenizerFiles


@pytest.mark.parametrize("where", [MODEL_PATH, None])
def test_special_tokens_are_those_of_transformers(tiny_model, where):
    folder = where or tiny_model
    files, tokenizer = TokenizerFiles(MODEL_PATH.parent / folder), AutoTokenizer.from_pretrained(folder)
    assert [files.token(kind) for kind in ("eos_token", "pad_token")] == [tokenizer.eos_token, tokenizer.pad_token]
    assert files.ids[tokenizer.eos_token] == tokenizer.eos_token_id
    assert files.template == tokenizer.chat_template
    assert files.embedded_tokens >= len(tokenizer)
    assert not files.declares_no_end


def test_tokens_as_older_versions_wrote_them(tmp_path):
    (tmp_path / "special_tokens_map.json").write_text(
        json.dumps({"eos_token": {"content": "</s>"}, "pad_token": "<p>"})
    )
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"pad_token": "<q>", "chat_template": [{"name": "a"}]}))
    files = TokenizerFiles(tmp_path)
    assert [files.token(kind) for kind in ("eos_token", "pad_token", "bos_token")] == ["</s>", "<q>", None]
    assert (files.template, files.appended, files.ids, files.embedded_tokens) == (None, None, {}, None)


def test_what_stands_behind_a_text_is_found_in_a_sequence_of_steps(tmp_path):
    ends = {"type": "TemplateProcessing", "single": [{"Sequence": {"id": "A"}}, {"SpecialToken": {"id": "</s>"}}]}
    steps = {"type": "Sequence", "processors": [{"type": "ByteLevel"}, ends]}
    (tmp_path / "tokenizer.json").write_text(json.dumps({"added_tokens": [], "post_processor": steps}))
    assert TokenizerFiles(tmp_path).appended == "</s>"
    (tmp_path / "tokenizer.json").write_text('{"added_tokens": [], "post_processor": nonsense')
    assert TokenizerFiles(tmp_path).appended is None
