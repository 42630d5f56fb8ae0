"""The plan of a run: data arithmetic against TRL's sampler, prompt lengths, and what TRL is told."""

import json
import warnings

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gpocli.data import gather
from gpocli.embedded import MODEL_PATH
from gpocli.planning.checkpoint import find_architecture
from gpocli.planning.plan import longest_prompt, plan_data, plan_run, run_sizes
from gpocli.spec import RunSpec
from gpocli.spec.batch import BatchError, solve
from gpocli.spec.sources import SpecSources
from gpocli.spec.trl_config import trainer_options


def spec_of(**sections):
    return RunSpec.model_validate(sections)


def data_of(rows, **sections):
    spec = spec_of(**sections)
    return plan_data(spec, solve(spec), rows)


def test_rows_that_fill_no_generation_batch_are_counted_as_unused():
    # trap T05: 7 prompts, 3 a step, 2 epochs
    data = data_of(7, batch={"prompts_per_step": 3}, run={"epochs": 2.0})
    assert (data.prompts_per_epoch, data.unused_per_epoch) == (6, 1)
    assert (data.steps_per_epoch, data.steps, data.epochs) == (2, 4, 2.0)


def test_updates_and_iterations_make_more_steps_of_the_same_rows():
    data = data_of(10, batch={"prompts_per_step": 2, "updates_per_generation": 2, "iterations": 3}, run={"steps": 30})
    assert data.prompts_per_epoch == 8  # 2 generation batches of 4
    assert data.steps_per_epoch == 12  # 2 batches x 2 updates x 3 iterations
    assert data.epochs == 2.5


def test_half_an_epoch_is_rounded_up():
    assert data_of(7, batch={"prompts_per_step": 2}, run={"epochs": 0.5}).steps == 2  # half of 3


@pytest.mark.parametrize(("rows", "prompts", "updates", "iterations"), [(7, 3, 1, 1), (10, 2, 2, 3), (9, 2, 1, 2)])
def test_the_sampler_of_trl_agrees(rows, prompts, updates, iterations):
    from trl.trainer.utils import RepeatSampler

    batch = {"prompts_per_step": prompts, "updates_per_generation": updates, "iterations": iterations}
    spec = spec_of(algorithm={"type": "gfpo", "group_size": 8, "keep": 4}, batch=batch)
    plan = solve(spec)
    sampler = RepeatSampler(
        range(rows),
        mini_repeat_count=plan.kept_per_prompt,
        batch_size=plan.prompts_per_generation,
        repeat_count=plan.iterations * plan.steps_per_generation,
        shuffle=True,
    )
    drawn = list(sampler)
    data = plan_data(spec, plan, rows)
    assert len(set(drawn)) == data.prompts_per_epoch
    micro_steps = len(drawn) // plan.generation_rows  # the loader takes a generation batch for each micro-step
    assert micro_steps // plan.accumulation == data.steps_per_epoch


def rows_of(*prompts):
    return gather("rows", list(enumerate([{"prompt": prompt} for prompt in prompts], start=1)))


def test_the_longest_prompt_is_estimated_from_its_bytes():
    assert longest_prompt(RunSpec(), rows_of("a" * 9, "ü" * 30), None).tokens == 20  # 60 bytes / 3
    chat = [{"role": "user", "content": "a" * 30}]
    assert longest_prompt(RunSpec(), rows_of(chat), None).tokens == 10 + 32  # and a template


def test_no_prompt_is_longer_than_the_context_leaves():
    spec = spec_of(sampling={"max_tokens": 100})
    assert longest_prompt(spec, rows_of("a" * 900), 128).tokens == 28


def test_a_limit_of_the_spec_says_how_long_prompts_are():
    spec = spec_of(data={"max_prompt_tokens": 77})
    assert longest_prompt(spec, rows_of("a"), None).tokens == 77


def test_rows_that_cannot_be_read_leave_an_assumption():
    found = longest_prompt(RunSpec(), None, None)
    assert (found.tokens, found.how) == (512, "assumed; write data.max_prompt_tokens")


@pytest.mark.parametrize(
    ("model", "dtype", "autocast"),
    [
        ({}, "float32", True),
        ({"dtype": "float32"}, "float32", False),
        ({"dtype": "bfloat16"}, "bfloat16", True),
        ({"dtype": "float16"}, "float16", True),
    ],
)
def test_precision_is_what_trl_will_be_told(tiny_model, model, dtype, autocast):
    spec = spec_of(model={"name": tiny_model, **model})
    sizes = run_sizes(spec, solve(spec), find_architecture(spec.model), 10)
    assert (sizes.dtype, sizes.autocast) == (dtype, autocast)


def test_a_process_samples_its_share_of_the_candidates(tiny_model):
    spec = spec_of(algorithm={"type": "gfpo", "group_size": 16, "keep": 4}, model={"name": tiny_model})
    sizes = run_sizes(spec, solve(spec, 4), find_architecture(spec.model), 10)
    assert sizes.candidates == 32  # 8 prompts x 16 / 4


def test_the_embedded_model_has_an_estimate():
    plan = plan_run(SpecSources())
    assert plan.memory is not None
    assert plan.memory.parameters == json.loads((MODEL_PATH / "figures.json").read_text())["parameters"]


def test_a_model_that_is_not_cached_is_not_fetched():
    plan = plan_run(SpecSources(overrides=["model.name=org/never-seen"]))
    assert plan.memory is None
    assert (
        "memory is not estimated: model 'org/never-seen' is not in the cache yet; "
        "fetch it: hf download org/never-seen config.json" in plan.notes
    )


# Suggestions of the batch solver


@st.composite
def specs(draw):
    size = draw(st.integers(2, 12))
    kept = {"group_size": size, "keep": draw(st.integers(2, size))}
    algorithm = draw(
        st.sampled_from(
            [
                {"type": "gfpo", **kept},
                {"type": "gmpo", "filters": ["length"], **kept},
                {"type": "gmpo", "group_size": size},
                {"type": "grpo", "group_size": size},
            ]
        )
    )
    batch = {
        "prompts_per_step": draw(st.integers(1, 20)),
        "micro_batch": draw(st.none() | st.integers(1, 20)),
        "updates_per_generation": draw(st.none() | st.integers(1, 4)),
    }
    return spec_of(algorithm=algorithm, batch=batch)


def accepted_by_trl(spec, processes, folder):
    """Build both TRL's own config, which counts kept rows, and ours, as `gpo train` does in each process."""
    from trl import GRPOConfig

    from gpocli.trainers.gfpo import GFPOConfig
    from gpocli.trainers.gmpo import GMPOConfig

    plan = solve(spec, processes)
    options = trainer_options(spec, plan, folder, "cpu")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        (GMPOConfig if spec.algorithm.type == "gmpo" else GFPOConfig)(**options)
        plain = GRPOConfig(
            output_dir=str(folder),
            use_cpu=True,
            bf16=False,
            num_generations=plan.kept_per_prompt,
            per_device_train_batch_size=plan.micro_batch,
            gradient_accumulation_steps=plan.accumulation,
            steps_per_generation=plan.steps_per_generation,
            num_iterations=plan.iterations,
        )
    assert plain.generation_batch_size == plan.generation_rows


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(specs(), st.integers(1, 6))
def test_trl_accepts_each_plan_and_each_suggestion(tmp_path, monkeypatch, spec, processes):
    from transformers import TrainingArguments

    monkeypatch.setattr(TrainingArguments, "world_size", property(lambda self: processes))
    try:
        accepted_by_trl(spec, processes, tmp_path)
    except BatchError as error:
        for suggestion in error.suggestions or pytest.fail("no suggestion"):
            changed = {path.removeprefix("batch."): value for path, value in suggestion.items()}
            batch = spec.batch.model_copy(update=changed)
            accepted_by_trl(spec.model_copy(update={"batch": batch}), processes, tmp_path)
