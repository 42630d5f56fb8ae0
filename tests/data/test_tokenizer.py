"""Prompts from a tokenizer's files alone are what transformers makes of them."""

import pytest
from transformers import AutoTokenizer

from gpocli.data.rows import gather
from gpocli.data.tokenizer import light_tokenizer, prompt_ids, prompt_texts
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


def rows_of(*prompts):
    return gather("d.jsonl", [(line, {"prompt": prompt}) for line, prompt in enumerate(prompts, start=1)])


def by_auto_tokenizer(folder, **options):
    tokenizer = AutoTokenizer.from_pretrained(folder)
    options["add_generation_prompt"] = True
    return (
        tokenizer.apply_chat_template(CHATS, tokenize=False, **options),
        [len(ids) for ids in tokenizer.apply_chat_template(CHATS, **options)["input_ids"]],
    )


def by_light_tokenizer(folder, **options):
    rows, light = rows_of(*CHATS), light_tokenizer(folder)
    return prompt_texts(rows, light, options), [len(ids) for ids in prompt_ids(rows, light, options)]


def test_chats_of_the_embedded_model():
    assert by_light_tokenizer(MODEL_PATH) == by_auto_tokenizer(MODEL_PATH)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return save_tiny_model(tmp_path_factory.mktemp("model"))


@pytest.mark.parametrize("template", TEMPLATES)
def test_templates_of_many_kinds(folder, template):
    (folder / "chat_template.jinja").write_text(template)
    assert by_light_tokenizer(folder, think=True) == by_auto_tokenizer(folder, think=True)


def test_plain_prompts_are_as_they_are(folder):
    rows, prompts = rows_of("a", "a + b", "x" * 300), ["a", "a + b", "x" * 300]
    assert prompt_texts(rows, light_tokenizer(folder)) == prompts
    assert [len(ids) for ids in prompt_ids(rows, light_tokenizer(folder))] == [
        len(ids) for ids in AutoTokenizer.from_pretrained(folder)(prompts, verbose=False)["input_ids"]
    ]


def test_what_a_template_refuses_is_quoted(folder):
    (folder / "chat_template.jinja").write_text("{{ raise_exception('System role not supported') }}")
    with pytest.raises(SpecError) as error:
        prompt_texts(rows_of(*CHATS), light_tokenizer(folder))
    assert str(error.value) == (
        "d.jsonl: the model's chat template refuses a prompt (System role not supported); change the messages or their "
        "roles"
    )


def test_chats_without_a_template_are_refused(folder):
    (folder / "chat_template.jinja").unlink()
    with pytest.raises(SpecError, match="the model's tokenizer has no chat template; write plain text prompts"):
        prompt_texts(rows_of(*CHATS), light_tokenizer(folder))


def test_a_folder_without_its_file_has_none(tmp_path):
    assert light_tokenizer(tmp_path) is None
