"""Prompts from a tokenizer's files alone are what transformers makes of them."""

import pytest
from transformers import AutoTokenizer

from gpocli.data.tokenizer import PromptTokenizer
from gpocli.embedded import MODEL_PATH
from gpocli.errors import SpecError
from tests.conftest import save_tiny_model

CHATS = [
    [{"role": "user", "content": "12+34=?"}],
    [{"role": "system", "content": "be brief"}, {"role": "user", "content": "1+1=?"}],
    [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}, {"role": "user", "content": "c"}],
]
TEMPLATES = [
    "{{ bos_token }}{% for m in messages %}\n  {% if m.role == 'user' %}\n{{ m.content | trim }}\n  {% endif %}\n"
    "{% endfor %}",
    "{% for m in messages %}{% if m.role == 'assistant' %}{% generation %}{{ m.content }}{% endgeneration %}"
    "{% continue %}{% endif %}{{ m | tojson }}{% endfor %}{% if add_generation_prompt %}>{% endif %}",
    "{% for m in messages %}{{ m.content }}{% endfor %}{% if think is defined and think %}!{% endif %}",
]  # fmt: skip


def by_transformers(folder, prompts, **options):
    tokenizer = AutoTokenizer.from_pretrained(folder)
    options["add_generation_prompt"] = True
    return (
        tokenizer.apply_chat_template(prompts, tokenize=False, **options),
        [len(ids) for ids in tokenizer.apply_chat_template(prompts, **options)["input_ids"]],
    )


def test_chats_of_the_embedded_model():
    light = PromptTokenizer(MODEL_PATH)
    texts = light.rendered("d", CHATS)
    assert (texts, light.counts(texts, are_chats=True)) == by_transformers(MODEL_PATH, CHATS)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return save_tiny_model(tmp_path_factory.mktemp("model"))


@pytest.mark.parametrize("template", TEMPLATES)
def test_templates_of_many_kinds(folder, template):
    (folder / "chat_template.jinja").write_text(template)
    light = PromptTokenizer(folder)
    texts = light.rendered("d", CHATS, {"think": True})
    assert (texts, light.counts(texts, are_chats=True)) == by_transformers(folder, CHATS, think=True)


def test_plain_prompts_are_as_they_are(folder):
    light, prompts = PromptTokenizer(folder), ["a", "a + b", "x" * 300]
    assert light.rendered("d", prompts) == prompts
    assert light.counts(prompts, are_chats=False) == [
        len(ids) for ids in AutoTokenizer.from_pretrained(folder)(prompts, verbose=False)["input_ids"]
    ]


def test_what_a_template_refuses_is_quoted(folder):
    (folder / "chat_template.jinja").write_text("{{ raise_exception('System role not supported') }}")
    with pytest.raises(SpecError) as error:
        PromptTokenizer(folder).rendered("d.jsonl", CHATS)
    assert str(error.value) == (
        "d.jsonl: the model's chat template refuses a prompt (System role not supported); change the messages or their "
        "roles"
    )


def test_chats_without_a_template_are_refused(folder):
    (folder / "chat_template.jinja").unlink()
    with pytest.raises(SpecError, match="the model's tokenizer has no chat template; write plain text prompts"):
        PromptTokenizer(folder).rendered("d.jsonl", CHATS)
