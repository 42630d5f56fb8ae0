"""A run that is left while it samples or evaluates is saved as it was after the last step."""

import json
import signal
from dataclasses import replace

import pytest
from transformers import TrainerCallback

from gpocli.runs.checkpoints import damage
from gpocli.trainers.state import load_last_step
from gpocli.trainers.stop import StopNow
from tests.trainers.test_resume import Run, train, trainer_of

ALL = Run(
    algorithm="gmpo", filter="adaptive", updates=2, accumulation=2, log_every=4, dropout=True, synced_reference=True,
    rows=9,
)  # fmt: skip


def asks_at(trainer, name, turn):
    """Let a method of a trainer ask for the end, in the middle of it, when it is called for the `turn`th time."""
    parent, calls = getattr(trainer, name), []

    def method(*args, **kwargs):
        result = parent(*args, **kwargs)
        calls.append(name)
        if len(calls) == turn:
            trainer.stop.ask(signal.SIGTERM)
        return result

    setattr(trainer, name, method)


def check_left(run, tmp_path, model, method, turn, saved):
    """A run that is left in a call of `method`, resumed from what was `saved`, equals one that was not stopped."""
    straight = train(trainer_of(run, tmp_path / "straight", model))
    return straight, left_and_resumed(run, tmp_path, model, method, turn, saved)


def left_and_resumed(run, tmp_path, model, method, turn, saved):
    """What a run leaves that was left in a call of `method` and resumed from what was `saved`."""
    first = trainer_of(run, tmp_path / "left", model)
    asks_at(first, method, turn)
    with pytest.raises(StopNow):
        first.train()
    first.stop.save()
    checkpoint = tmp_path / "left" / f"checkpoint-{saved}"
    assert damage(checkpoint) is None
    return train(trainer_of(run, tmp_path / "left", model), str(checkpoint))


def assert_equal(straight, after):
    assert straight.records[-len(after.records) :] == after.records
    assert after.log == straight.log
    assert all((after.weights[name] == value).all() for name, value in straight.weights.items())


PLAIN = Run(steps=4, filter="any", dropout=True)


@pytest.fixture(scope="module")
def straight(tiny_model, tmp_path_factory):
    return train(trainer_of(PLAIN, tmp_path_factory.mktemp("straight"), tiny_model))


@pytest.mark.parametrize("method", ["_generate_single_turn", "_score"])
def test_what_was_under_way_is_drawn_again(straight, tiny_model, tmp_path, method):
    assert_equal(straight, left_and_resumed(PLAIN, tmp_path, tiny_model, method, 3, saved=2))


@pytest.mark.slow
@pytest.mark.parametrize("method", ["_generate_single_turn", "_score"])
@pytest.mark.parametrize("engine", ["auto", "generate"])
def test_so_it_is_with_all_that_a_run_can_have(tiny_model, tmp_path, method, engine):
    run = replace(ALL, engine=engine)
    assert_equal(*check_left(run, tmp_path, tiny_model, method, 3, saved=4))


def test_an_evaluation_that_was_left_is_made_up_for(tiny_model, tmp_path):
    run = Run(steps=4, eval_every=2, dropout=True)
    straight, after = check_left(run, tmp_path, tiny_model, "prediction_step", 1, saved=2)
    assert_equal(straight, after)
    assert sum("eval_" in line for line in after.log) == 2


def test_so_is_that_of_the_last_step(tiny_model, tmp_path):
    run = Run(steps=2, eval_every=2)
    straight = train(trainer_of(run, tmp_path / "straight", tiny_model))
    left = trainer_of(run, tmp_path / "left", tiny_model)
    asks_at(left, "prediction_step", 1)
    with pytest.raises(StopNow):
        left.train()
    left.stop.save()
    again = trainer_of(run, tmp_path / "left", tiny_model)
    load_last_step(again, tmp_path / "left" / "checkpoint-2")
    figures = [json.loads(line) for line in (straight.log[-2], json.dumps(again.state.log_history[-1]))]
    assert figures[0]["eval_reward"] == figures[1]["eval_reward"]
    assert (figures[0]["step"], figures[0]["epoch"]) == (figures[1]["step"], figures[1]["epoch"])


def test_before_the_first_step_there_is_nothing_to_save(tiny_model, tmp_path):
    trainer = trainer_of(Run(), tmp_path, tiny_model)
    asks_at(trainer, "_generate_single_turn", 1)
    with pytest.raises(StopNow):
        trainer.train()
    trainer.stop.save()
    assert not list(tmp_path.glob("checkpoint-*"))


def test_within_an_update_only_the_end_of_the_step_is_waited_for(tiny_model, tmp_path):
    trainer = trainer_of(Run(), tmp_path, tiny_model)
    seen = []

    class InTheUpdate(TrainerCallback):
        def on_pre_optimizer_step(self, args, state, control, **kwargs):
            if state.global_step == 1:
                trainer.stop.ask(signal.SIGTERM)
                seen.append(trainer.stop.is_at_once)

        def on_step_end(self, args, state, control, **kwargs):
            control.should_training_stop = bool(trainer.stop.agreed())

    trainer.add_callback(InTheUpdate())
    trainer.train()
    assert (trainer.state.global_step, seen, trainer.stop.asked) == (2, [False], signal.SIGTERM)
