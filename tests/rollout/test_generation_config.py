"""Each field of transformers' `GenerationConfig` is decided."""

import pytest
from transformers import GenerationConfig

from gpocli.rollout.generation_config import (
    CHANGES_WHAT_IS_DRAWN,
    DECIDED_BY_THE_RUN,
    NOT_ON_TRLS_PATH,
    WITHOUT_EFFECT,
    changes_what_is_drawn,
    not_on_trls_path,
    unknown,
)

FIELDS = sorted(vars(GenerationConfig()))


@pytest.mark.parametrize("field", FIELDS)
def test_every_field_is_decided_once(field):
    # A field that transformers adds fails here until somebody has read what it does.
    assert sum(field in decided for decided in (DECIDED_BY_THE_RUN, WITHOUT_EFFECT, CHANGES_WHAT_IS_DRAWN)) == 1


def test_why_generate_cannot_is_said_of_fields_that_are_decided():
    assert set(NOT_ON_TRLS_PATH) <= DECIDED_BY_THE_RUN | WITHOUT_EFFECT | set(CHANGES_WHAT_IS_DRAWN)


@pytest.mark.parametrize("field", sorted(CHANGES_WHAT_IS_DRAWN))
def test_a_field_that_changes_what_is_drawn_is_found_once_it_is_set(field):
    config = GenerationConfig()
    for neutral in (None, [], CHANGES_WHAT_IS_DRAWN[field]):
        setattr(config, field, neutral)
        assert changes_what_is_drawn(config) == []
    setattr(config, field, 0 if field.startswith("forced") else [3] if field.endswith("tokens") else 0.5)
    assert changes_what_is_drawn(config) == [field]


def test_the_defaults_of_transformers_change_nothing():
    assert changes_what_is_drawn(GenerationConfig()) == []
    assert changes_what_is_drawn(GenerationConfig(**GenerationConfig._get_default_generation_params())) == []


def test_a_field_of_a_later_transformers_is_taken_for_one_that_changes_what_is_drawn(monkeypatch):
    monkeypatch.setattr("gpocli.rollout.generation_config._FIELDS", frozenset([*FIELDS, "dry_multiplier"]))
    assert changes_what_is_drawn(GenerationConfig(dry_multiplier=0.8)) == ["dry_multiplier"]


def test_what_a_model_notes_for_itself_is_passed_over():
    assert changes_what_is_drawn(GenerationConfig(chat_format="chatml", max_window_size=6144)) == []


def test_options_that_generate_does_not_have_or_cannot_do():
    assert unknown({"max_new_token": 5, "top_h": 0.4}) == ["max_new_token"]
    assert not_on_trls_path({"stop_strings": ["."], "num_return_sequences": 1, "use_mtp": False}) == ["stop_strings"]
    assert not_on_trls_path({"num_return_sequences": 2}) == ["num_return_sequences"]
