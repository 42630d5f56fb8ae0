"""What the shell offers: installed filters, rewards, presets and plugins; silence where nothing can be had."""

import pytest

from gpocli.cli.completion import complete_filter, complete_key, complete_plugin, complete_preset, complete_reward
from gpocli.presets import preset_names
from tests.cli.in_process import User


@pytest.fixture
def user(tmp_path, monkeypatch, capsys):
    return User(tmp_path, monkeypatch, capsys)


def test_filters_and_rewards_with_their_summaries():
    assert complete_filter("le") == [("length", "keep the shortest completions, counted in tokens")]
    assert [name for name, _ in complete_reward("l")] == ["length_penalty", "length_aware_accuracy", "language"]
    assert complete_filter("nothing") == []


def test_presets_and_plugins():
    assert complete_preset("gmpo") == [name for name in preset_names() if name.startswith("gmpo")]
    assert complete_plugin("b") == ["builtin"]


def test_nothing_is_offered_where_plugins_cannot_be_had(monkeypatch, capsys):
    monkeypatch.setenv("GPO_PLUGINS", "none_of_them")
    assert complete_filter("l") == []
    assert complete_plugin("") == []
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("gpo train gfpo --filter l", ["length"]),
        ("gpo train gmpo --filter ra", ["random"]),
        ("gpo train gfpo --reward ex", ["exact"]),
        ("gpo train gfpo --preset gfpo-8", ["gfpo-8-16", "gfpo-8-24"]),
        ("gpo filters test cor", ["correct"]),
        ("gpo rewards show ov", ["overlong"]),
        ("gpo plugins show bu", ["builtin"]),
    ],
)
def test_bash_is_offered_names(user, monkeypatch, words, offered):
    monkeypatch.setenv("_GPO_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", words)
    monkeypatch.setenv("COMP_CWORD", str(len(words.split()) - 1))
    said = user.gpo()
    assert (said.code, said.out.split(), said.err) == (0, offered, "")


def test_set_is_offered_the_settings():
    assert complete_key("optim.w") == ["optim.warmup_steps=", "optim.weight_decay="]
