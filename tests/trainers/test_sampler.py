"""Which loop samples, what it is told, and what a race leaves."""

from types import SimpleNamespace

import pytest
from transformers import AutoTokenizer, GenerationConfig, Phi3Config, Phi3ForCausalLM

from gpocli.builtin.filters.length import EXTENSION
from gpocli.errors import SpecError
from gpocli.extensions import NoOptions
from gpocli.rollout import SamplingSettings
from gpocli.trainers.engines import loop


@pytest.fixture
def shortest():
    return EXTENSION.build(NoOptions())


def records_of(trainer):
    records = []
    trainer.on_candidates = records.extend
    trainer.train()
    return records


def count_letters(completions, **kwargs):
    return [float(sum(c.isalpha() for c in completion)) for completion in completions]


def test_a_race_keeps_what_full_generation_keeps(gfpo, shortest):
    def kept(**options):
        options |= {"max_completion_length": 40, "num_generations": 8, "max_steps": 3}
        records = records_of(gfpo(rewards=count_letters, **options))
        return records, [record.tokens for record in records if record.kept]

    raced, kept_of_race = kept(group_filter_func=shortest)

    def after_all(group_completions, group_rewards, completion_lengths):
        return [[-length for length in group] for group in completion_lengths]

    full, kept_of_all = kept(group_filter_func=after_all)
    assert kept_of_race == kept_of_all
    assert {record.outcome for record in raced} == {"kept", "lost"} | {record.outcome for record in raced}
    assert sum(record.outcome == "lost" for record in raced) > len(raced) // 3
    assert sum(record.length for record in raced) < sum(record.length for record in full)
    lost = [record for record in raced if record.outcome == "lost"]
    assert all(record.reward is None and record.filter_score is None and not record.finished for record in lost)


def test_lost_candidates_are_not_counted_as_cut(gfpo, shortest):
    trainer = gfpo(group_filter_func=shortest, max_completion_length=100, num_generations=8, whole_every=0)
    records_of(trainer)
    entries = [entry for entry in trainer.state.log_history if "lost/share" in entry]
    assert len(entries) == 2
    assert all(entry["lost/share"] > 0 for entry in entries)
    assert all(entry["completions/clipped_ratio_at_least"] == 0.0 for entry in entries)


def test_now_and_then_a_generation_batch_runs_no_race_and_the_same_are_kept(gfpo, shortest):
    def trained(whole_every):
        sizes = {"max_completion_length": 40, "num_generations": 8, "max_steps": 3}
        trainer = gfpo(group_filter_func=shortest, whole_every=whole_every, **sizes)
        records = records_of(trainer)
        return trainer.state.log_history[:3], records, trainer.model.state_dict()

    log, records, weights = trained(2)
    lost = [any(record.outcome == "lost" for record in records if record.step == step) for step in (1, 2, 3)]
    assert lost == [False, True, False]
    _, raced, of_races = trained(0)
    assert all(any(record.outcome == "lost" for record in raced if record.step == step) for step in (1, 2, 3))
    assert [record.tokens for record in records if record.kept] == [record.tokens for record in raced if record.kept]
    assert all(weights[name].equal(of_races[name]) for name in weights)
    of_first = [record for record in records if record.step == 1]
    assert log[0]["completions/mean_length"] == sum(record.length for record in of_first) / len(of_first)
    assert log[0]["completions/clipped_ratio"] == sum(not record.finished for record in of_first) / len(of_first)
    of_second = [record.length for record in records if record.step == 2]
    assert log[1]["completions/mean_length_at_least"] == sum(of_second) / len(of_second)
    assert "completions/mean_length" not in log[1]


def test_a_race_also_runs_on_continuous_batching(gfpo, shortest):
    trainer = gfpo(
        group_filter_func=shortest,
        use_transformers_continuous_batching=True,
        max_completion_length=100,
        num_generations=8,
        max_steps=1,
        whole_every=0,
    )
    records = records_of(trainer)
    for group in range(4):
        members = [record for record in records if record.group == group]
        kept = sorted(record.length for record in members if record.kept)
        ended = sorted(record.length for record in members if record.finished)
        assert kept == ended[:2]
        # One token less is enough to lose: with the next token a later candidate would only tie.
        assert all(record.length + 1 >= kept[-1] for record in members if not record.kept)
    assert any(record.outcome == "lost" for record in records)


def test_the_run_wins_over_the_models_own_sampling_defaults(gfpo, tiny_model, tmp_path):
    import shutil

    folder = tmp_path / "near_greedy"
    shutil.copytree(tiny_model, folder)
    GenerationConfig(
        do_sample=True, top_k=1, temperature=0.01, repetition_penalty=1.5, eos_token_id=1, pad_token_id=0
    ).save_pretrained(folder)
    records = records_of(gfpo(model=str(folder), max_steps=1))
    group = [tuple(record.tokens) for record in records if record.group == 0]
    assert len(set(group)) == 4


def test_each_end_token_of_the_model_ends_a_completion(gfpo, tiny_model, tmp_path):
    import shutil

    folder = tmp_path / "two_ends"
    shutil.copytree(tiny_model, folder)
    GenerationConfig(eos_token_id=[1, *range(3, 24)], pad_token_id=0).save_pretrained(folder)
    records = records_of(
        gfpo(
            model=str(folder), max_completion_length=60, max_steps=1, group_filter_func=None, num_remains_in_group=None
        )
    )
    assert all(record.finished for record in records)
    assert all(record.tokens[-1] in {1, *range(3, 24)} for record in records)
    assert not any(token in {1, *range(3, 24)} for record in records for token in record.tokens[:-1])


def test_an_engine_that_cannot_be_had_is_refused_by_name(gfpo):
    with pytest.raises(ValueError, match=r"^rollout='race' cannot be had here: generation_kwargs"):
        gfpo(rollout="race", generation_kwargs={"no_repeat_ngram_size": 2})


@pytest.mark.parametrize("batch", [2, 3, 5])
def test_evaluation_counts_each_prompt_once_and_is_never_filtered(gfpo, shortest, batch):
    from tests.trainers.conftest import prompts

    # Five prompts, one completion each: the mean of 0..4, however they are cut into batches.
    trainer = gfpo(
        rewards=lambda completions, number, **kwargs: [float(n) for n in number],
        group_filter_func=shortest,
        eval_dataset=prompts(5),
        num_generations_eval=1,
        per_device_eval_batch_size=batch,
        max_steps=1,
    )
    for _ in range(2):
        metrics = trainer.evaluate()
        assert metrics["eval_reward"] == pytest.approx(2.0)
        assert "eval_kept/share" not in metrics


def test_evaluation_groups_are_counted_whole(gfpo, shortest):
    from tests.trainers.conftest import prompts

    lengths, cut = [], []

    def by_number(completions, completion_ids, number, **kwargs):
        lengths.extend(map(len, completion_ids))
        cut.extend(ids[-1] != 1 for ids in completion_ids)
        return [float(n) for n in number]

    trainer = gfpo(
        rewards=by_number,
        group_filter_func=shortest,
        eval_dataset=prompts(5),
        num_generations_eval=2,
        per_device_eval_batch_size=4,
        max_completion_length=40,
    )
    metrics = trainer.evaluate()
    assert metrics["eval_reward"] == pytest.approx(2.0)
    assert len(lengths) == 10
    assert metrics["eval_completions/mean_length"] == pytest.approx(sum(lengths) / 10)
    assert 0 < sum(cut) < 10
    assert metrics["eval_completions/clipped_ratio"] == sum(cut) / 10
    assert metrics["eval_completions/max_length"] == max(lengths)
    # 0, 0, 1, 1, ..., 4, 4: ten numbers around 2, whose squares of differences add up to 20.
    assert metrics["eval_reward_std"] == pytest.approx((20 / 9) ** 0.5)
    assert metrics["eval_frac_reward_zero_std"] == 1.0


@pytest.fixture
def longrope(tiny_model, tmp_path):
    """A tiny Phi-3 whose rotary embedding changes past 16 tokens; the prompts here have five."""
    rope = {
        "rope_type": "longrope",
        "rope_theta": 10000.0,
        "factor": 8.0,
        "short_factor": [1.0] * 4,
        "long_factor": [8.0] * 4,
        "original_max_position_embeddings": 16,
    }
    config = Phi3Config(
        vocab_size=44,
        hidden_size=16,
        intermediate_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        max_position_embeddings=128,
        original_max_position_embeddings=16,
        rope_parameters=rope,
        eos_token_id=1,
        bos_token_id=None,
        pad_token_id=0,
    )
    Phi3ForCausalLM(config).save_pretrained(tmp_path / "phi3")
    AutoTokenizer.from_pretrained(tiny_model).save_pretrained(tmp_path / "phi3")
    return str(tmp_path / "phi3")


@pytest.mark.parametrize("limit", [11, 12])
def test_a_rotary_embedding_that_may_change_while_sampling_takes_trls_path(gfpo, longrope, shortest, limit):
    trainer = gfpo(
        model=longrope, group_filter_func=shortest, max_completion_length=limit, num_generations=8, max_steps=2
    )
    notes = []
    trainer.on_note = notes.append
    records = records_of(trainer)
    reason = "rows have 5 to 17 tokens: the rotary embedding (longrope) of Phi3ForCausalLM changes past 16"
    assert notes == ([f"sampling with TRL's own path: {reason}"] if limit == 12 else [])
    assert any(record.kept for record in records)


def test_and_is_refused_where_gpos_loop_is_asked_for(gfpo, longrope):
    with pytest.raises(SpecError) as error:
        gfpo(model=longrope, rollout="race", max_completion_length=12).train()
    assert str(error.value) == (
        "rollout='race' cannot be had here: rows have 5 to 17 tokens: the rotary embedding (longrope) of "
        "Phi3ForCausalLM changes past 16; use rollout='auto'"
    )


def test_every_sampling_setting_of_the_run_reaches_the_engine(gfpo, model_that_wants):
    given = {"temperature": 0.7, "top_p": 0.9, "top_k": 5, "min_p": 0.1, "repetition_penalty": 1.3}
    trainer, asked = gfpo(model=model_that_wants(), max_completion_length=9, **given), []
    trainer._sampler._engine = SimpleNamespace(
        why_not_this=lambda trainer, request: asked.append(request), sample=loop.sample
    )
    trainer._sampler.sample([[5, 6]] * 4, 4, None, race=None, is_text=True)
    assert asked[0].settings == SamplingSettings(9, (1,), 0, **given)


def test_a_completion_ends_with_any_of_the_end_tokens(gfpo, model_that_wants):
    trainer = gfpo(model=model_that_wants())
    trainer.eos_token_ids = [1, 7]
    assert trainer._sampler._settings().eos_token_ids == (1, 7)
    assert trainer._sampler.ended([[5, 1], [5, 7], [7, 5], []]) == [True, True, False, False]


def test_the_activity_tells_how_far_sampling_is(gfpo, shortest):
    told = []

    def asks(completions, **columns):
        told.append(str(trainer.activity))
        return [0.0] * len(completions)

    trainer = gfpo(rewards=asks, max_steps=1)
    engine = trainer._sampler._engine

    def watched(*arguments):
        rollout = engine.sample(*arguments)
        told.append((str(trainer.activity), sum(rollout.finished), max(map(len, rollout.completion_ids))))
        return rollout

    trainer._sampler._engine = SimpleNamespace(sample=watched, why_not_this=engine.why_not_this)
    trainer.train()
    (generating, ended, longest), scoring = told
    assert (generating, scoring) == (f"generating {ended}/16 ended, at token {longest}", "scoring")
    assert str(trainer.activity) == ""
