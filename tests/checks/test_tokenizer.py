"""Tokenizers and templates that a run would die of, or train wrongly with, told from the files of the model."""

import json
import shutil

import pytest

from gpocli.checks.tokenizer import check_prompts, check_tokenizer
from gpocli.data.rows import gather

NAMED = "model: {name: ./m}\n"
AT = "run.yaml:1:9: model.name: "


def chats(*all_roles):
    prompts = [[{"role": role, "content": "x"} for role in roles.split()] for roles in all_roles]
    return gather("a.jsonl", [(line, {"prompt": prompt}) for line, prompt in enumerate(prompts, start=1)])


PLAIN = gather("a.jsonl", [(1, {"prompt": "x"})])


@pytest.fixture
def change(tmp_path, tiny_model):
    """A copy of the tiny model in `./m`, with values in its JSON files replaced."""
    shutil.copytree(tiny_model, tmp_path / "m")

    def change_files(**files):
        for name, values in files.items():
            file = tmp_path / "m" / f"{name}.json"
            file.write_text(json.dumps(json.loads(file.read_text()) | values))
        return tmp_path / "m"

    return change_files


NO_END = {"config": {"eos_token_id": None}, "generation_config": {"eos_token_id": None}}


@pytest.mark.parametrize(
    ("files", "is_refused"),
    [
        ({}, False),
        ({**NO_END, "tokenizer_config": {"eos_token": None}}, True),
        (NO_END, False),
        ({"tokenizer_config": {"eos_token": None}}, False),
        ({**NO_END, "tokenizer_config": {"eos_token": None, "tokenizer_class": "LlamaTokenizer"}}, False),  # has </s>
    ],
)
def test_a_model_without_any_end_token_is_refused(change, found_by, files, is_refused):
    change(**files)
    line = (
        f"{AT}model './m' has no end token, neither in its tokenizer nor in its config, so every completion would be "
        "cut at sampling.max_tokens; name one as eos_token in its tokenizer_config.json"
    )
    assert found_by(check_tokenizer, NAMED) == ([line] if is_refused else [])


def test_special_tokens_have_a_row_in_the_embedding(change, found_by):
    change(config={"vocab_size": 1})
    assert found_by(check_tokenizer, NAMED) == [
        f"{AT}the eos_token '<eos>' of model './m' is number 1 of its tokenizer, but its embedding has 1 rows; resize "
        "the embedding (model.resize_token_embeddings) and save the model again, or name another in its "
        "tokenizer_config.json"
    ]


ENDS = {"type": "TemplateProcessing", "single": [{"Sequence": {"id": "A"}}, {"SpecialToken": {"id": "<eos>"}}]}


def test_a_tokenizer_that_ends_plain_prompts_is_refused(change, found_by):
    folder = change()
    text = json.loads((folder / "tokenizer.json").read_text())
    (folder / "tokenizer.json").write_text(json.dumps({**text, "post_processor": ENDS}, indent=2))
    (line,) = found_by(check_prompts, NAMED, PLAIN, None)
    assert line.startswith(f"{AT}the tokenizer of model './m' puts its end token '<eos>' behind every prompt, so that")
    assert found_by(check_prompts, NAMED, chats("user")) == []  # a template says itself what it adds


def test_chat_prompts_need_a_chat_template(change, found_by):
    folder = change()
    (folder / "chat_template.jinja").unlink()
    (line,) = found_by(check_prompts, NAMED, chats("user"))
    assert line.startswith("a.jsonl: prompts are chat messages, but the tokenizer in './m' has no chat template")
    (folder / "chat_template.jinja").write_text("")
    assert found_by(check_prompts, NAMED, chats("user")) == []


def test_a_template_that_is_broken_or_refuses_a_role_is_told_with_the_first_row(change, found_by):
    template = change() / "chat_template.jinja"
    template.write_text("{% for m in messages %}\n{{ m.content }\n{% endfor %}")
    assert found_by(check_prompts, NAMED, chats("user")) == [
        "a.jsonl: prompts are chats, but the chat template of './m' is broken (unexpected '}', line 2 of it); mend it "
        "in the model's files"
    ]
    assert found_by(check_prompts, NAMED, PLAIN) == []
    template.write_text(
        "{% for m in messages %}{% if m.role == 'system' %}{{ raise_exception('no system') }}{% endif %}{% endfor %}"
    )
    assert found_by(check_prompts, NAMED, chats("user", "user", "system user", "system user")) == [
        "a.jsonl:3: the chat template of './m' refuses the prompt (no system); change the messages or their roles"
    ]
