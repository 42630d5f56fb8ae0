"""TRL's own generation as an engine."""

import pytest

from gpocli.errors import SpecError
from gpocli.trainers.engines.trl_path import as_rollout


def test_the_last_token_tells_whether_a_row_ended():
    rollout = as_rollout([[5, 1], [5, 5], [2], []], (1, 2))
    assert rollout.finished == [True, False, True, False]
    assert rollout.lost == [False] * 4


def test_the_log_probabilities_of_trl_are_handed_on():
    assert as_rollout([[1]], (1,), [[-0.5]]).logps == [[-0.5]]


def drawn(trainer):
    records = []
    trainer.on_candidates = records.extend
    trainer.train()
    return [record.tokens for record in records]


def test_what_the_model_suppresses_is_never_drawn(gfpo, model_that_wants):
    # Half of the 44 tokens: without the field some are in nearly every completion.
    suppressed = [*range(3, 25)]
    completions = drawn(gfpo(model=model_that_wants(suppress_tokens=suppressed, min_new_tokens=5), max_steps=1))
    assert not {token for tokens in completions for token in tokens} & set(suppressed)
    assert min(map(len, completions)) >= 5


@pytest.mark.parametrize("min_p", [None, 0.5])
def test_the_min_p_of_the_run_wins(gfpo, model_that_wants, min_p):
    # With 1.0 only the likeliest token is left, and all completions of a group are one.
    trainer = gfpo(model=model_that_wants(min_p=1.0), rollout="generate", min_p=min_p, max_steps=1)
    completions = drawn(trainer)
    assert len({tuple(tokens) for tokens in completions[:4]}) > 1
    assert trainer.generation_config.min_p == (min_p or 0.0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"stop_strings": ["a"]},
            "generation_kwargs.stop_strings does not work: TRL does not hand generate the tokenizer that it would "
            "need; leave it out",
        ),
        (
            {"num_return_sequences": 2},
            "generation_kwargs.num_return_sequences does not work: the size of a group says how many completions a "
            "prompt gets; leave it out",
        ),
        (
            {"typical": 0.5},
            "generation_kwargs.typical is no option of transformers' generate; did you mean 'typical_p'?",
        ),
        ({"zzz": 0.5}, "generation_kwargs.zzz is no option of transformers' generate; leave it out"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_an_option_that_generate_fails_at_or_passes_over_is_refused(gfpo, options, message):
    with pytest.raises(SpecError) as error:
        gfpo(generation_kwargs=options)
    assert str(error.value) == message


def test_so_is_a_field_of_the_model(gfpo, model_that_wants):
    with pytest.raises(SpecError) as error:
        gfpo(model=model_that_wants(stop_strings=["a"]))
    assert str(error.value) == (
        "the model's generation_config sets stop_strings, which does not work: TRL does not hand generate the "
        "tokenizer that it would need; take it out of its generation_config.json"
    )


def test_continuous_batching_would_drop_what_the_model_wants(gfpo, model_that_wants):
    with pytest.raises(SpecError) as error:
        gfpo(model=model_that_wants(suppress_tokens=[5]), use_transformers_continuous_batching=True)
    assert str(error.value) == (
        "transformers' continuous batching would drop suppress_tokens: use sampling.engine: generate"
    )
