"""Flat groups give their places to the next prompts; the step is TRL's on the groups that are handed on."""

import pytest
import torch
from datasets import Dataset, IterableDataset
from trl import GRPOConfig, GRPOTrainer

from gpocli.errors import SpecError
from gpocli.trainers.refill import Places, why_not_refill
from tests.trainers.closeness import SAME, gap
from tests.trainers.conftest import length_filter, prompts

STEP = {
    "per_device_train_batch_size": 8,
    "gradient_accumulation_steps": 1,
    "steps_per_generation": 2,
    "max_grad_norm": 0.0,
    "optim": "sgd",
    "learning_rate": 0.1,
    "max_steps": 2,
    "beta": 0.2,
    "shuffle_dataset": False,
}
REFILL = {"flat_groups": "refill", "num_remains_in_group": None, "group_filter_func": None}


def letters_of_odd_numbers(completions, number, **kwargs):
    return [float(len(set(text))) * (n % 2) for text, n in zip(completions, number, strict=True)]


def letters_of_number_3(completions, number, **kwargs):
    return [float(len(set(text))) * (n == 3) for text, n in zip(completions, number, strict=True)]


def always_flat(completions, **kwargs):
    return [1.0] * len(completions)


def flat_weights(trainer):
    return torch.cat([parameter.detach().flatten() for parameter in trainer.model.parameters()])


class Replayed(GRPOTrainer):
    """TRL's trainer, which writes what another trainer wrote."""

    written: list[list[int]]

    def _generate_single_turn(self, prompt_ids, *more):
        return [self.written.pop(0) for _ in prompt_ids], None


def trained(gfpo, **options):
    """A trainer that has trained, its weights before, and its records."""
    trainer, records = gfpo(**(STEP | REFILL | options)), []
    start = flat_weights(trainer).clone()
    trainer.on_candidates = records.extend
    trainer.train()
    return trainer, start, records


def numbers_of(records, outcome):
    """The prompts of the records of an outcome, group after group."""
    return list(dict.fromkeys(int(one.prompt.split()[1]) for one in records if one.outcome == outcome))


@pytest.mark.parametrize("loss_type", ["grpo", "dapo", "dr_grpo"])
def test_the_step_is_that_of_trl_on_the_first_groups_with_signal(gfpo, make_trainer, loss_type):
    ours, start, records = trained(gfpo, rewards=letters_of_odd_numbers, loss_type=loss_type)
    assert numbers_of(records, "kept") == [1, 3, 5, 7]
    assert numbers_of(records, "flat") == [0, 2, 4, 6]
    theirs = make_trainer(
        Replayed,
        GRPOConfig,
        rewards=letters_of_odd_numbers,
        data=Dataset.from_list([row for row in prompts(8).to_list() if row["number"] % 2]),
        loss_type=loss_type,
        **STEP,
    )
    theirs.written = [one.tokens for one in records if one.outcome == "kept"]
    theirs.train()
    assert gap(flat_weights(ours), flat_weights(theirs), start) < SAME


@pytest.mark.parametrize("loss_type", ["grpo", "dapo"])
def test_where_too_few_are_found_the_loss_is_of_those(gfpo, make_trainer, loss_type):
    notes = []
    step = STEP | {"per_device_train_batch_size": 16, "steps_per_generation": 1, "max_steps": 1}
    trainer = gfpo(**(step | REFILL), rewards=letters_of_number_3, flat_max_prompts=2, loss_type=loss_type)
    start, records = flat_weights(trainer).clone(), []
    trainer.on_candidates, trainer.on_note = records.extend, notes.append
    trainer.train()
    assert (numbers_of(records, "kept"), numbers_of(records, "flat")) == ([3], [0, 1, 2, 4, 5, 6, 7])
    assert notes == [
        "1 of 8 prompts had a group with signal, where 4 are wanted: training on those, for flat_max_prompts is 2 "
        "(told once; see groups/sampled)"
    ]
    theirs = make_trainer(
        Replayed,
        GRPOConfig,
        rewards=letters_of_number_3,
        data=prompts(4).select([3]),
        loss_type=loss_type,
        **(step | {"per_device_train_batch_size": 4}),
    )
    theirs.written = [one.tokens for one in records if one.outcome == "kept"]
    theirs.train()
    assert gap(flat_weights(trainer), flat_weights(theirs), start) < SAME


def test_without_signal_the_weights_stay(gfpo):
    trainer, start, records = trained(gfpo, rewards=always_flat, beta=0.0)
    assert torch.equal(flat_weights(trainer), start)
    assert {one.outcome for one in records} == {"flat"}
    assert len(records) == 4 * 4 * 4


def test_the_filter_chooses_in_each_turn(gfpo):
    options = {"group_filter_func": length_filter, "num_remains_in_group": 2, "per_device_train_batch_size": 4}
    _, _, records = trained(gfpo, rewards=letters_of_odd_numbers, **options)
    groups = [[one for one in records if one.group == number] for number in range(records[-1].group + 1)]
    became = []
    for group in groups:
        (outcome,) = {one.outcome for one in group} - {"rejected"}
        chosen, rejected = ([one for one in group if (one.outcome == outcome) is flag] for flag in (True, False))
        assert (len(chosen), len(rejected)) == (2, 2)
        assert max(one.length for one in chosen) <= min(one.length for one in rejected)
        assert (outcome == "flat") is (len({one.reward for one in chosen}) == 1)
        became.append(outcome)
    assert (became.count("kept"), became[-1]) == (4, "kept")  # no prompt is sampled that is not needed


def test_figures_are_of_all_that_was_sampled(gfpo):
    trainer, _, records = trained(gfpo, rewards=letters_of_odd_numbers)
    first = trainer.state.log_history[0]
    assert first["frac_reward_zero_std"] == 0.5
    assert first["reward"] == pytest.approx(sum(one.reward for one in records) / len(records))


def test_the_tables_of_trl_show_what_is_trained_on(gfpo):
    trainer, _, records = trained(gfpo, rewards=letters_of_odd_numbers)
    kept = [one for one in records if one.outcome == "kept"]
    assert list(trainer._logs["prompt"])[-16:] == [one.prompt for one in kept]
    assert list(trainer._logs["completion"])[-16:] == [one.completion for one in kept]
    assert list(trainer._logs["rewards"]["letters_of_odd_numbers"])[-16:] == [one.reward for one in kept]


def test_the_next_batch_goes_on_behind_the_last_prompt(gfpo):
    options = {"per_device_train_batch_size": 4, "steps_per_generation": 1, "max_steps": 3}
    _, _, records = trained(gfpo, rewards=letters_of_odd_numbers, **options)
    steps = [[one.prompt for one in records if one.step == step][::4] for step in (1, 2, 3)]
    assert steps == [["say 0", "say 1"], ["say 2", "say 3"], ["say 4", "say 5"]]


def test_evaluation_refills_nothing(gfpo):
    trainer = gfpo(**(STEP | REFILL), rewards=always_flat, eval_dataset=prompts(2), num_generations_eval=2)
    assert trainer.evaluate()["eval_frac_reward_zero_std"] == 1


def test_places_go_to_the_first_groups_with_signal_then_to_flat_ones():
    assert Places.of([True, False, True, False, False], 2) == Places([True, False, True, False, False], [1, 3], [])
    assert Places.of([True, False, True], 2).fillers == [0]
    assert Places.of([True, False, True], 2).rows(2) == [0, 1, 2, 3]


def test_streamed_data_is_refused(gfpo):
    data = IterableDataset.from_generator(lambda: iter(prompts(8).to_list()))
    with pytest.raises(SpecError, match="flat_groups='refill' does not work here: streamed data has no next prompt"):
        gfpo(**(STEP | REFILL), data=data)


def test_groups_that_span_processes_are_refused(gfpo):
    trainer = gfpo(**(STEP | REFILL))
    trainer.args.per_device_train_batch_size, trainer.args.steps_per_generation = 6, 1
    reason = why_not_refill(trainer)
    assert reason is not None
    assert reason.startswith(
        "a process has 6 rows of a generation batch, which is no multiple of the 4 rows of a group"
    )
