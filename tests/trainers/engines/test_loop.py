"""When gpo's own loop samples, and why not."""

import pytest

from gpocli.trainers.engines import loop


def test_it_samples_a_plain_model(gfpo):
    assert loop.why_not(gfpo()) is None


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"rollout": "generate"}, "rollout='generate' asks for TRL's own path"),
        (
            {"generation_kwargs": {"no_repeat_ngram_size": 2}},
            "generation_kwargs and cache_implementation are options of transformers' generate",
        ),
    ],
)
def test_a_setting_that_only_trl_knows_is_named(gfpo, options, reason):
    assert gfpo(**options).why_not_fast == reason
