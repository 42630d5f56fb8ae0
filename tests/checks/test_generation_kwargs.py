"""Keys of trl.generation_kwargs."""

import pytest

from gpocli.checks.generation_kwargs import REFUSED, check_generation_kwargs
from gpocli.spec.trl_schema import names_of


@pytest.mark.parametrize(
    ("kwargs", "fault"),
    [
        ("do_sample: false", "do_sample: completions are drawn, always; write sampling.temperature for how"),
        ("num_beams: 4", "num_beams: beams are no samples of the policy, which is what the loss weighs; remove it"),
        ("max_length: 9", "max_length: is the length of prompt and completion; write sampling.max_tokens"),
        ("eos_token_id: 2", "eos_token_id: the tokenizer and the model say which tokens end a completion; remove it"),
        ("typical: 0.9", "typical: transformers' generate has no such option; write typical_p"),
        ("zebra: 1", "zebra: transformers' generate has no such option; remove it"),
    ],
)
def test_a_key_that_overrides_or_does_nothing_is_refused(found_by, kwargs, fault):
    (line,) = found_by(check_generation_kwargs, f"trl: {{generation_kwargs: {{{kwargs}}}}}\n")
    assert line == f"run.yaml:1:27: trl.generation_kwargs.{fault}"


@pytest.mark.parametrize("kwargs", ["typical_p: 0.9", "num_beams: 1", "suppress_tokens: [3]", "min_new_tokens: 2"])
def test_what_changes_how_is_drawn_in_the_open_passes(found_by, kwargs):
    assert found_by(check_generation_kwargs, f"trl: {{generation_kwargs: {{{kwargs}}}}}\n") == []


def test_keys_of_vllm_are_its_own(found_by):
    text = "sampling: {engine: vllm}\ntrl: {generation_kwargs: {presence_penalty: 1, max_tokens: 3}}\n"
    (line,) = found_by(check_generation_kwargs, text)
    assert line.endswith("trl.generation_kwargs.max_tokens: is set elsewhere in a spec; write sampling.max_tokens")


def test_what_trls_call_of_generate_fails_at_is_refused_before_torch_loads():
    from gpocli.rollout.generation_config import NOT_ON_TRLS_PATH

    assert NOT_ON_TRLS_PATH.keys() <= REFUSED.keys()
    assert REFUSED.keys() <= {*names_of("generation_kwargs")}
