"""Values of micro-batches become one of the step, worked out by hand and against any split of the same rows."""

import itertools
import math
from types import SimpleNamespace

import pytest
import torch

from gpocli.trainers.loss_figures import LossFigures, Part, combinations, settled

TOKENS = combinations("dapo", has_row_ratios=False, is_training=True)
ROWS = combinations("grpo", has_row_ratios=True, is_training=True)
# Four rows of an optimizer step: tokens in the loss, clipped tokens of them, summed entropy.
STEP = [(2, 1, 1.0), (0, 0, 0.0), (4, 0, 8.0), (2, 2, 3.0)]


def of_tokens(rows):
    """What the parent writes of a micro-batch of these rows at token level."""
    tokens = sum(row[0] for row in rows)
    shares = [row[1] / row[0] for row in rows if row[0]]
    return {
        "entropy": sum(row[2] for row in rows) / max(tokens, 1),
        "clip_ratio/low_mean": sum(row[1] for row in rows) / max(tokens, 1),
        "clip_ratio/low_min": min(shares, default=math.nan),
        "clip_ratio/high_max": max(shares, default=math.nan),
    }


def part(rows):
    trained = sum(row[0] > 0 for row in rows)
    return Part(sum(row[0] for row in rows), trained, len(rows), 1.0)


@pytest.mark.parametrize("order", itertools.permutations(range(4)))
@pytest.mark.parametrize("size", [1, 2, 4])
def test_a_step_has_the_same_figures_however_its_rows_share_micro_batches(order, size):
    batches = [[STEP[i] for i in order[start : start + size]] for start in range(0, 4, size)]
    written = [of_tokens(batch) for batch in batches]
    values = {name: [one[name] for one in written] for name in written[0]}
    assert settled(values, [part(batch) for batch in batches], TOKENS, has_row_ratios=False) == {
        "entropy": pytest.approx(12 / 8),
        "clip_ratio/low_mean": pytest.approx(3 / 8),
        "clip_ratio/low_min": 0.0,
        "clip_ratio/high_max": 1.0,
    }


def test_at_sequence_level_rows_without_a_token_in_the_loss_do_not_count():
    # Two micro-batches of two rows, one of which only fills up its group: of the three in the loss two are clipped.
    parts = [Part(5, 2, 2, 1.0), Part(3, 1, 2, 1.0)]
    values = {"clip_ratio/low_mean": [0.5, 0.5], "clip_ratio/low_min": [0.0, 0.0], "clip_ratio/high_max": [0.0, 1.0]}
    assert settled(values, parts, ROWS, has_row_ratios=True) == {
        "clip_ratio/low_mean": pytest.approx(2 / 3),
        "clip_ratio/low_min": 0.0,
        "clip_ratio/high_max": 1.0,
    }
    every = settled({**values, "clip_ratio/low_mean": [1.0, 0.5]}, parts, ROWS, has_row_ratios=True)
    assert (every["clip_ratio/low_mean"], every["clip_ratio/low_min"]) == (1.0, 1.0)


def test_the_policy_loss_is_that_of_the_step():
    # A sum over tokens that one number divides adds up; a mean over rows is one over the micro-batches that are there.
    parts = [Part(4, 2, 2, 1.0), Part(0, 0, 2, 0.0)]
    values = {"policy_loss": [0.5, 0.0]}
    assert settled(values, parts, TOKENS, has_row_ratios=False) == {"policy_loss": 0.5}
    assert settled(values, parts, ROWS, has_row_ratios=True) == {"policy_loss": 0.5}
    both = [Part(4, 2, 2, 1.0)] * 2
    assert settled({"policy_loss": [0.5, 0.1]}, both, TOKENS, has_row_ratios=False) == {"policy_loss": 0.6}
    assert settled({"policy_loss": [0.5, 0.1]}, both, ROWS, has_row_ratios=True) == {"policy_loss": 0.3}
    evaluation = combinations("dapo", has_row_ratios=False, is_training=False)
    assert settled({"policy_loss": [0.5, 0.1]}, both, evaluation, has_row_ratios=False) == {"policy_loss": 0.3}


def test_a_step_without_a_token_in_the_loss_has_no_figure_of_any():
    one = settled(
        {"entropy": [0.0], "clip_ratio/low_min": [math.inf]}, [Part(0, 0, 2, 0.0)], TOKENS, has_row_ratios=False
    )
    assert all(math.isnan(value) for value in one.values())


def test_one_value_takes_the_place_of_those_since_the_last_call():
    host = SimpleNamespace(
        loss_type="dapo",
        model=SimpleNamespace(training=True),
        objective=SimpleNamespace(has_row_ratios=lambda trainer: False),
        _processes=SimpleNamespace(count=1, totals=lambda *numbers: list(numbers)),
    )
    metrics = {"entropy": [9.0, 1.0, 4.0], "reward": [1.0]}
    figures = LossFigures(host)
    first = {"completion_mask": torch.tensor([[1, 1], [1, 1]]), "advantages": torch.ones(2)}
    second = first | {"completion_mask": torch.tensor([[1, 1], [0, 0]]), "tool_mask": torch.tensor([[1, 0], [1, 1]])}
    figures.note(first, first)
    figures.note(second, second)
    figures.settle(metrics)
    assert metrics == {"entropy": [9.0, pytest.approx((4 * 1.0 + 4.0) / 5)], "reward": [1.0]}
    figures.settle(metrics)
    assert len(metrics["entropy"]) == 2


def test_nothing_of_a_silent_row_is_clipped():
    """Three tokens in the pass, two of them clipped, and five tokens of two silent rows."""
    parts = [Part(3, 2, 2, 1.0, silent_tokens=5, silent_rows=2)]
    shares = {"clip_ratio/low_mean": [2 / 3], "clip_ratio/low_min": [0.5], "clip_ratio/high_max": [0.5]}
    clipped = shares | {"entropy": [1.5]}
    told = settled(clipped, parts, TOKENS, has_row_ratios=False)
    assert told == {
        "clip_ratio/low_mean": 0.25,
        "clip_ratio/low_min": 0.0,
        "clip_ratio/high_max": 0.5,
        "entropy": 1.5,
    }
    rows = combinations("grpo", has_row_ratios=True, is_training=True)
    told = settled({"clip_ratio/low_mean": [1.0], "clip_ratio/low_min": [1.0]}, parts, rows, has_row_ratios=True)
    assert told == {"clip_ratio/low_mean": 0.5, "clip_ratio/low_min": 0.0}


class Thinned:
    """Keeps 4, 3 or 2 of a group, as the prompt's number says."""

    def __call__(self, group_completions, group_rewards, completion_lengths):
        return [[-float(length) for length in group] for group in completion_lengths]

    def keep_counts(self, keep, group_rewards, number):
        return [keep - group[0] % 3 for group in number]


def count_letters(completions, **kwargs):
    return [float(sum(c.isalpha() for c in text)) for text in completions]


def test_clipped_rows_of_a_run_are_counted_without_those_that_only_fill_up_a_group(gfpo):
    """With a clip range of next to nothing every row whose ratio moved against it is clipped."""
    trainer = gfpo(
        rewards=count_letters, group_filter_func=Thinned(), num_generations=5, num_remains_in_group=4,
        gradient_accumulation_steps=2, steps_per_generation=4, max_steps=2, learning_rate=0.1,
        importance_sampling_level="sequence", loss_type="grpo", epsilon=1e-6, epsilon_high=1e-6,
    )  # fmt: skip
    clipped, compute = [], trainer._compute_loss

    def watched(model, inputs):
        mask_BT = inputs["completion_mask"]
        ids = torch.cat([inputs["prompt_ids"], inputs["completion_ids"]], 1)
        mask = torch.cat([inputs["prompt_mask"], mask_BT], 1)
        with torch.no_grad():
            logps_BT, _, _ = trainer._get_per_token_logps_and_entropies(model, ids, mask, mask_BT.size(1))
        old_BT = inputs.get("old_per_token_logps", logps_BT)
        ratio_B = (((logps_BT - old_BT) * mask_BT).sum(1) / mask_BT.sum(1).clamp(min=1)).exp()
        advantage_B = inputs["advantages"]
        is_low_B, is_high_B = (ratio_B < 1 - 1e-6) & (advantage_B < 0), (ratio_B > 1 + 1e-6) & (advantage_B > 0)
        trained_B = mask_BT.sum(1) > 0
        clipped[-1] += torch.stack([is_low_B, is_high_B], 1)[trained_B].tolist()
        return compute(model, inputs)

    def count_up(*args, **kwargs):
        clipped.append([]) if trainer._step % 2 == 0 else None
        return step(*args, **kwargs)

    trainer._compute_loss, step, trainer.training_step = watched, trainer.training_step, count_up
    trainer.train()
    assert [len(rows) < 8 for rows in clipped] == [True, True]
    for entry, rows in zip(trainer.state.log_history, clipped, strict=False):
        low, high = (sum(row[side] for row in rows) / len(rows) for side in (0, 1))
        assert entry["clip_ratio/low_mean"] == pytest.approx(low)
        assert entry["clip_ratio/high_mean"] == pytest.approx(high)
        assert entry["clip_ratio/region_mean"] == pytest.approx(low + high)
        assert (entry["clip_ratio/low_min"], entry["clip_ratio/high_max"]) == (float(low == 1), float(high > 0))
    assert any(any(row) for row in clipped[1])


@pytest.mark.parametrize("loss_type", ["dapo", "grpo", "bnpo"])
def test_the_policy_loss_of_a_run_is_its_loss_where_nothing_else_adds_to_it(gfpo, loss_type):
    """With a bonus of next to nothing, and micro-batches in which all rows only fill up a group."""
    trainer = gfpo(
        rewards=count_letters, group_filter_func=Thinned(), num_generations=5, num_remains_in_group=4,
        per_device_train_batch_size=2, gradient_accumulation_steps=4, max_steps=2, entropy_coef=1e-9,
        loss_type=loss_type,
    )  # fmt: skip
    trainer.train()
    for entry in trainer.state.log_history[:2]:
        assert entry["policy_loss"] == pytest.approx(entry["loss"], abs=1e-6)
