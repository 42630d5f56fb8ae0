"""Prompts over the limit are found with the files of a tokenizer; those that cannot be over it are not counted."""

from gpocli.checks import lengths
from gpocli.checks.lengths import add_long
from gpocli.data import gather
from gpocli.data.named import NamedRows
from gpocli.spec.sources import SpecSources, load_run_spec


def places(*prompts, **settings):
    overrides = [f"{name.replace('__', '.')}={value}" for name, value in settings.items()]
    named = NamedRows()
    rows = gather("a.jsonl", [(line, {"prompt": prompt}) for line, prompt in enumerate(prompts, start=1)])
    add_long(named, load_run_spec(SpecSources(overrides=overrides)).spec, rows)
    return [place for one in named for place in one.places]


def test_texts_and_chats_are_counted_as_the_model_gets_them():
    chat = [{"role": "user", "content": "1+1="}]  # with a token for each role, 6
    assert places("1+1=", "1+1+1+1=", data__max_prompt_tokens=6) == ["a.jsonl:2"]
    assert places(chat, data__max_prompt_tokens=5) == ["a.jsonl:1"]
    assert places(chat, data__max_prompt_tokens=6) == []


def test_no_tokenizer_is_asked_when_no_prompt_has_so_many_bytes(monkeypatch):
    monkeypatch.setattr(lengths, "light_tokenizer", lambda folder: 1 / 0)
    assert places("1+1=", data__max_prompt_tokens=20) == []


def test_without_a_tokenizer_at_hand_nothing_is_said():
    assert places("1+1=", data__max_prompt_tokens=1, model__name="owner/name") == []
