"""The gradient of a GFPO step against a reference written by hand from the recorded candidates."""

import statistics

import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from tests.trainers.closeness import SAME, gap
from tests.trainers.conftest import count_a, length_filter


def count_digits(completions, **kwargs):
    return [float(sum(c.isdigit() for c in completion)) for completion in completions]


def reference_advantages(groups, scale):
    """(R - mean) / (std + 1e-4) over the kept of a group; std of the group, of the batch, or none."""
    batch_std = statistics.stdev(record.reward for group in groups for record in group)
    advantages = []
    for group in groups:
        rewards = [record.reward for record in group]
        std = {"group": statistics.stdev(rewards), "batch": batch_std, "none": 1 - 1e-4}[scale]
        advantages += [(reward - statistics.mean(rewards)) / (std + 1e-4) for reward in rewards]
    return advantages


def reference_gradient(folder, groups, advantages):
    """d/dw of -sum A log p over the kept completions, divided by their tokens: one on-policy dapo step."""
    model, tokenizer = AutoModelForCausalLM.from_pretrained(folder), AutoTokenizer.from_pretrained(folder)
    rows = [record for group in groups for record in group]
    tokens = sum(record.length for record in rows)
    loss = 0.0
    for record, advantage in zip(rows, advantages, strict=True):
        prompt = tokenizer(record.prompt)["input_ids"]
        logits = model(torch.tensor([prompt + record.tokens])).logits[0, len(prompt) - 1 : -1]
        logps = logits.log_softmax(-1).gather(1, torch.tensor(record.tokens).unsqueeze(1))
        loss = loss - advantage * logps.sum() / tokens
    loss.backward()
    return torch.cat([parameter.grad.flatten() for parameter in model.parameters()])


@pytest.mark.parametrize("rollout", ["generate", "race"])
@pytest.mark.parametrize("scale", ["group", "batch", "none"])
def test_gradient_equals_the_reference(gfpo, tiny_model, scale, rollout):
    trainer = gfpo(
        rewards=[count_a, count_digits],
        reward_weights=[1.0, -0.5],
        scale_rewards=scale,
        rollout=rollout,
        optim="sgd",
        learning_rate=1.0,
        max_grad_norm=0.0,
        max_steps=1,
    )
    records = []
    trainer.on_candidates = records.extend
    before = torch.cat([p.detach().flatten().clone() for p in trainer.model.parameters()])
    trainer.train()
    after = torch.cat([p.detach().flatten() for p in trainer.model.parameters()])

    kept = [record for record in records if record.kept]
    groups = [[record for record in kept if record.group == g] for g in range(4)]
    assert [len(group) for group in groups] == [2, 2, 2, 2]
    for record in kept:
        assert record.reward == pytest.approx(record.rewards["count_a"] - 0.5 * record.rewards["count_digits"])
    advantages = reference_advantages(groups, scale)
    assert [record.advantage for record in kept] == pytest.approx(advantages, abs=1e-5)
    gradient = reference_gradient(tiny_model, groups, advantages)
    assert gradient.norm() > 1e-3
    assert gap(before - after, gradient) < SAME
    assert all(record.advantage is None for record in records if not record.kept)


def test_the_paper_divides_by_the_tokens_of_the_whole_group(gfpo):
    steps = {}
    for divisor in ("kept", "group"):
        trainer = gfpo(
            divisor=divisor, rollout="generate", optim="sgd", learning_rate=1.0, max_grad_norm=0.0, max_steps=1
        )
        records = []
        trainer.on_candidates = records.extend
        before = torch.cat([p.detach().flatten().clone() for p in trainer.model.parameters()])
        trainer.train()
        steps[divisor] = before - torch.cat([p.detach().flatten() for p in trainer.model.parameters()])
    kept_tokens = sum(record.length for record in records if record.kept)
    group_tokens = sum(record.length for record in records)
    assert kept_tokens < group_tokens
    assert gap(steps["group"] * group_tokens, steps["kept"] * kept_tokens) < SAME


def test_filter_and_rewards_see_the_same_groups(gfpo):
    seen = []

    def by_number(completions, number, **kwargs):
        return [float(n) for n in number]

    def watching(group_completions, group_rewards, number, prompts, completion_lengths, **kwargs):
        seen.append((group_completions, group_rewards, number, prompts))
        return [[-length for length in group] for group in completion_lengths]

    trainer = gfpo(rewards=by_number, group_filter_func=watching, max_steps=1, rollout="generate")
    trainer.train()
    ((completions, rewards, number, prompts),) = seen
    assert [len(group) for group in completions] == [4, 4, 4, 4]
    for g in range(4):
        assert len(set(prompts[g])) == 1
        assert rewards[g] == [float(n) for n in number[g]]
        assert prompts[g] == [f"say {n}" for n in number[g]]


def test_a_filter_without_rewards_has_rewards_asked_for_the_kept_only(gfpo):
    asked = []

    def counting(completions, **kwargs):
        asked.append(len(completions))
        return count_a(completions)

    class Shortest:
        needs_rewards = False

        def __call__(self, group_completions, group_rewards, completion_lengths):
            assert group_rewards is None
            return [[-length for length in group] for group in completion_lengths]

    gfpo(rewards=counting, group_filter_func=Shortest(), max_steps=2, rollout="generate").train()
    assert asked == [8, 8]


def test_a_filter_that_needs_rewards_has_each_candidate_scored_once(gfpo):
    asked = []

    def counting(completions, **kwargs):
        asked.append(len(completions))
        return count_a(completions)

    gfpo(rewards=counting, group_filter_func=length_filter, max_steps=2, rollout="generate").train()
    assert asked == [16, 16]


class FewerOfEasyGroups:
    """Keeps both of the shortest in even groups, one in odd ones: the other only fills up the batch."""

    def __call__(self, group_completions, group_rewards, completion_lengths):
        return [[-float(length) for length in group] for group in completion_lengths]

    def keep_counts(self, keep, group_rewards, all_mean_rewards):
        assert len(all_mean_rewards) == len(group_rewards)
        return [keep if group % 2 == 0 else keep - 1 for group in range(len(group_rewards))]


def test_rows_that_only_fill_up_a_group_have_no_part_in_the_gradient(gfpo, tiny_model):
    trainer = gfpo(
        rewards=count_a,
        num_generations=6,
        num_remains_in_group=3,
        per_device_train_batch_size=6,
        group_filter_func=FewerOfEasyGroups(),
        optim="sgd",
        learning_rate=1.0,
        max_grad_norm=0.0,
        max_steps=1,
    )
    records = []
    trainer.on_candidates = records.extend
    before = torch.cat([p.detach().flatten().clone() for p in trainer.model.parameters()])
    trainer.train()
    after = torch.cat([p.detach().flatten() for p in trainer.model.parameters()])
    groups = [[record for record in records if record.kept and record.group == g] for g in range(4)]
    assert [len(group) for group in groups] == [3, 2, 3, 2]
    assert all(record.advantage is None for record in records if not record.kept)
    advantages = reference_advantages(groups, "group")
    assert [record.advantage for group in groups for record in group] == pytest.approx(advantages, abs=1e-5)
    gradient = reference_gradient(tiny_model, groups, advantages)
    assert gradient.norm() > 1e-3
    assert gap(before - after, gradient) < SAME


def test_a_row_that_no_reward_applies_to_is_left_out_of_its_groups_baseline(gfpo):
    def sometimes(completions, **kwargs):
        return [None if i % 4 == 0 else float(i % 3) for i in range(len(completions))]

    def in_order(group_completions, group_rewards, **kwargs):
        return [[-float(i) for i in range(len(group))] for group in group_completions]

    trainer = gfpo(rewards=sometimes, group_filter_func=in_order, num_remains_in_group=4, max_steps=1)
    records = []
    trainer.on_candidates = records.extend
    trainer.train()
    for g in range(2):
        group = [record for record in records if record.group == g]
        known = [record.reward for record in group[1:]]
        std = statistics.stdev(known)
        assert group[0].reward is None
        assert group[0].advantage == 0.0
        expected = [(reward - statistics.mean(known)) / (std + 1e-4) for reward in known]
        assert [record.advantage for record in group[1:]] == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), "0.5", None])
def test_a_score_that_is_no_number_stops_the_run_and_names_the_filter(gfpo, bad):
    from gpocli.errors import PluginError

    def broken(group_completions, group_rewards, **kwargs):
        return [[bad if i == 0 else 1.0 for i in range(len(group))] for group in group_completions]

    with pytest.raises(PluginError, match=r"^filter 'broken' "):
        gfpo(group_filter_func=broken).train()


def test_figures_are_told_before_and_after_the_filter(gfpo):
    # Rewards 0, 1, 2, 3 in each group, the best two kept: 1.5 before, 2.5 after.
    def by_place(completions, **kwargs):
        return [float(i % 4) for i in range(len(completions))]

    def best(group_completions, group_rewards, **kwargs):
        return group_rewards

    trainer = gfpo(rewards=by_place, group_filter_func=best, max_steps=1)
    trainer.train()
    entry = trainer.state.log_history[0]
    assert entry["candidates/reward"] == pytest.approx(1.5)
    assert entry["reward"] == pytest.approx(2.5)
    assert entry["kept/share"] == 0.5
