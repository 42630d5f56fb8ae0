"""A smoke run is the run itself, made tiny."""

import pytest

from gpocli.checks.preflight import check_run
from gpocli.errors import SpecError
from gpocli.spec.sources import SpecSources, draft_run_spec, load_run_spec
from gpocli.training.smoke import smoke_directory, smoke_sources

TRACKED = ("run.trackers=[]", "run.epochs=3", "run.eval_every=50", "run.requeue=true", "run.name=mine")


def smoke(*overrides, processes=1):
    return load_run_spec(smoke_sources(SpecSources(overrides=overrides), processes)).spec


def test_all_of_it_is_done_in_two_steps_elsewhere():
    spec = smoke("algorithm.type=gmpo", *TRACKED)
    assert (spec.run.steps, spec.run.epochs, spec.run.save_every, spec.run.eval_every) == (2, None, 1, 1)
    assert (spec.run.dir, spec.run.requeue) == (str(smoke_directory()), False)
    assert (spec.data.limit, spec.data.eval_limit, spec.sampling.max_tokens) == (64, 4, 16)
    # as many candidates a prompt, fewer prompts; of eight updates a generation batch two
    assert (spec.algorithm.group_size, spec.batch.prompts_per_step, spec.batch.updates_per_generation) == (8, 1, 2)


def test_what_is_less_already_stays_and_nothing_is_evaluated_that_was_not():
    spec = smoke("sampling.max_tokens=4", "data.limit=9")
    assert (spec.sampling.max_tokens, spec.data.limit, spec.run.eval_every) == (4, 9, None)


def test_each_process_has_a_prompt():
    sources = smoke_sources(SpecSources(overrides=["batch.prompts_per_step=6", "batch.micro_batch=4"]), 3)
    assert check_run(draft_run_spec(sources), 3).plan.prompts_per_step == 3


def test_a_reward_that_needs_room_keeps_it():
    reward = "rewards=[{name: overlong, options: {buffer: 64, max_tokens: 200}}]"
    assert smoke(reward, "sampling.max_tokens=200").sampling.max_tokens in (16, 200)


def test_the_run_itself_is_checked_whole():
    with pytest.raises(SpecError, match="unknown filter"):
        smoke("algorithm.filters=[lenght]")
