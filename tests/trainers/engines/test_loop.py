"""When gpo's own loop samples, and why not."""

import pytest
import torch

from gpocli.rollout import SamplingRequest, SamplingSettings
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


def test_what_the_model_wants_beyond_the_settings_is_left_to_trl(gfpo, model_that_wants):
    trainer = gfpo(model=model_that_wants(suppress_tokens=[5], min_new_tokens=3, temperature=0.2, typical_p=1.0))
    assert trainer.why_not_fast == "the model's generation_config sets min_new_tokens, suppress_tokens"


def test_what_the_run_decides_or_nothing_depends_on_is_not(gfpo, model_that_wants):
    settings = {"temperature": 0.2, "top_k": 1, "min_p": 0.3, "repetition_penalty": 2.0, "max_length": 7}
    model = model_that_wants(**settings, return_dict_in_generate=True, use_cache=False, suppress_tokens=[])
    assert gfpo(model=model).why_not_fast is None


def test_it_samples_from_the_weights_inside_of_a_compiled_model(gfpo):
    # A compiled step of every batch size and length would cost more than it saves, and inductor cannot alias the cache.
    def compile_nothing(graph, inputs):
        raise AssertionError("sampled through the compiled model")

    trainer = gfpo()
    settings = SamplingSettings(max_new_tokens=3, eos_token_ids=(1,), pad_token_id=0)
    request = SamplingRequest([[5, 6]], 2, settings, seed=1)
    plain = loop.sample(trainer, request, None)
    trainer.model_wrapped = torch.compile(trainer.model, backend=compile_nothing)
    assert loop.sample(trainer, request, None).completion_ids == plain.completion_ids
