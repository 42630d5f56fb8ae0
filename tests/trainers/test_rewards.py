"""Rewards as a real trainer calls them: at the same time, by what they name, and what becomes of one that fails."""

import asyncio

import pytest
from datasets import Dataset

from gpocli.contracts.reward import checked_rewards
from gpocli.contracts.reward_call import RewardRules
from gpocli.trainers.config import GroupConfig
from gpocli.trainers.trainer import GroupTrainer
from tests.training.test_callback import tiny_model

ROWS = [{"prompt": f"w{3 + n} w4", "answer": n} for n in range(8)]


def trained(folder, rewards, steps=1):
    """The lines that a run of some steps logs."""
    model, tokenizer = tiny_model()
    args = GroupConfig(
        str(folder), max_steps=steps, save_strategy="no", logging_steps=1, num_generations=4, bf16=False, use_cpu=True,
        per_device_train_batch_size=8, max_completion_length=4, report_to="none", disable_tqdm=True,
    )  # fmt: skip
    trainer = GroupTrainer(model, rewards, args, Dataset.from_list(ROWS), processing_class=tokenizer)
    trainer.train()
    return [line for line in trainer.state.log_history if "grad_norm" in line]


def by_length(completions):
    return [float(len(text)) for text in completions]


def test_coroutines_run_at_the_same_time(tmp_path):
    """Each of the two waits for the other one."""
    came = {"a": asyncio.Event(), "b": asyncio.Event()}

    async def first(completions):
        came["a"].set()
        await came["b"].wait()
        return by_length(completions)

    async def second(completions):
        came["b"].set()
        await came["a"].wait()
        return by_length(completions)

    (line,) = trained(tmp_path, [first, second])
    assert line["rewards/first/mean"] == line["rewards/second/mean"] > 0


def column_by_place(answer, /):
    return [float(one) for one in answer]


def ids_alone(completion_ids):
    return [float(ids[0]) for ids in completion_ids]


def finished_alone(finished):
    return [float(one) for one in finished]


@pytest.mark.parametrize("reward", [column_by_place, ids_alone, finished_alone, lambda *args: [0.5] * 8])
def test_a_reward_that_the_command_line_has_wrapped_gets_what_it_names(tmp_path, reward):
    (line,) = trained(tmp_path, checked_rewards([reward], ["mine"]))
    assert line["rewards/mine/mean"] is not None


def failing_at_first():
    calls = []

    def mine(completions):
        calls.append(1)
        if len(calls) == 1:
            raise ValueError("no judge")
        return by_length(completions)

    return mine


@pytest.mark.parametrize(("on_error", "flat"), [("skip_group", True), ("zero", False)])
def test_a_call_that_fails_counts_as_it_is_told_to_and_is_counted(tmp_path, on_error, flat):
    """Another reward tells the completions apart: skipped groups give no advantage all the same."""
    notes = []
    rewards = checked_rewards(
        [failing_at_first(), ids_alone],
        ["mine", "other"],
        [RewardRules(on_error=on_error), RewardRules()],
        notes.append,
    )
    first, second = trained(tmp_path, rewards, steps=2)
    assert [line["rewards/mine/failed"] for line in (first, second)] == [1.0, 0.0]
    assert (first["frac_reward_zero_std"], first["grad_norm"] == 0) == (float(flat), flat)
    assert second["grad_norm"] > 0
    assert "rewards/other/failed" not in second
    assert len(notes) == 1
