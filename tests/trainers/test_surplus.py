"""Rows that only fill up a group are as if they were not there: in no loss, whatever it is a mean over."""

from collections import Counter
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from typing import Any, get_args

import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from gpocli import GFPOConfig, GFPOTrainer, GMPOConfig, GMPOTrainer
from gpocli.algorithms.grpo import LossType
from tests.algorithms.updates import CLOSE, gradient_of
from tests.trainers.step_reference import LOSS_TYPES, Part, Weights, step_loss

UPDATES = 2
ROWS = 8
"""Rows of an update, of all micro-batches."""
MAX_TOKENS = 12


class Thinned:
    """Keeps 4, 3 or 2 of a group, as the prompt's number says."""

    def __call__(self, group_completions, group_rewards, completion_lengths):
        return [[-float(length) for length in group] for group in completion_lengths]

    def keep_counts(self, keep, group_rewards, number):
        return [keep - group[0] % 3 for group in number]


def count_letters(completions, **kwargs):
    return [float(sum(c.isalpha() for c in completion)) for completion in completions]


@dataclass
class MicroStep:
    """What one micro-batch was given, the weights before it, and the loss and gradient that came of it."""

    rows: dict[str, torch.Tensor]
    weights: list[torch.Tensor]
    loss: float
    gradient: torch.Tensor


@pytest.fixture(scope="module")
def network(tiny_model):
    """The tiny model in float64, of which tests take copies."""
    return AutoModelForCausalLM.from_pretrained(tiny_model, dtype=torch.float64)


@pytest.fixture(scope="module")
def tokenizer(tiny_model):
    return AutoTokenizer.from_pretrained(tiny_model)


@pytest.fixture
def trained(make_trainer, network, tokenizer):
    """`trained(**options)`: one generation batch of 4 groups and its two updates; micro-steps and records."""

    def train(micro_batch: int, **options: Any):
        accumulation = ROWS // micro_batch
        is_gmpo = options["loss_type"] == "gmpo"
        trainer = make_trainer(
            GMPOTrainer if is_gmpo else GFPOTrainer,
            GMPOConfig if is_gmpo else GFPOConfig,
            rewards=count_letters,
            group_filter_func=Thinned(),
            model=deepcopy(network),
            processing_class=tokenizer,
            num_remains_in_group=4,
            num_generations=5,
            per_device_train_batch_size=micro_batch,
            gradient_accumulation_steps=accumulation,
            steps_per_generation=UPDATES * accumulation,
            max_steps=UPDATES,
            max_completion_length=MAX_TOKENS,
            rollout="generate",
            optim="sgd",
            learning_rate=1.0,
            max_grad_norm=0.0,
            **options | ({"loss_type": "grpo"} if is_gmpo else {}),
        )
        records: list[Any] = []
        steps: list[MicroStep] = []
        trainer.on_candidates = records.extend
        compute = trainer._compute_loss

        def watched(model, inputs):
            loss = compute(model, inputs)
            parameters = list(model.parameters())
            weights = [weight.detach().clone() for weight in parameters]
            gradient = gradient_of(loss, parameters, retain_graph=True)
            steps.append(MicroStep(dict(inputs), weights, loss.item(), gradient))
            return loss

        trainer._compute_loss = watched
        trainer.train()
        return steps, records

    return train


class Reference:
    """The parts of a step out of the rows of its micro-batches, the records, and a network in float64."""

    def __init__(self, network, tokenizer, records, *, mask_truncated=False):
        self.network, self.start, self.tokenizer = deepcopy(network), network, tokenizer
        self.mask_truncated = mask_truncated
        self.kept = [record for record in records if record.kept]
        self.live = Counter((record.prompt, tuple(record.tokens)) for record in self.kept)
        self.lengths = {
            (record.prompt, tuple(record.tokens)): 0 if mask_truncated and not record.finished else record.length
            for record in self.kept
        }

    @property
    def tokens(self):
        """The mean number of tokens of an update."""
        return sum(self.lengths[record.prompt, tuple(record.tokens)] for record in self.kept) / UPDATES

    def part(self, step: MicroStep) -> Part:
        """The live rows of a micro-batch. Each kept candidate is met once."""
        prompts = self.tokenizer.batch_decode(step.rows["prompt_ids"], skip_special_tokens=True)
        width = step.rows["completion_ids"].size(1)
        numbers, lengths = [], []
        for i, (prompt, ids) in enumerate(zip(prompts, step.rows["completion_ids"].tolist(), strict=True)):
            for record in self.kept:
                key = (record.prompt, tuple(record.tokens))
                if record.prompt == prompt and [*record.tokens, *[0] * (width - record.length)] == ids:
                    if self.live[key]:
                        self.live[key] -= 1
                        numbers.append(i)
                        lengths.append(self.lengths[key])
                    break
        rows = {name: value[numbers] for name, value in step.rows.items() if getattr(value, "ndim", 0)}
        attended_BT = torch.arange(width) < torch.tensor([[max(length, 1)] for length in lengths]).reshape(-1, 1)
        mask_BT = torch.arange(width) < torch.tensor(lengths).reshape(-1, 1)
        with torch.no_grad():
            old_BT, _ = passed(self.start, rows, attended_BT)
        logps_BT, entropy_BT = passed(self.network, rows, attended_BT)
        return Part(logps_BT, old_BT, old_BT, entropy_BT, mask_BT.long(), rows["advantages"].double())

    def at(self, weights: list[torch.Tensor]) -> None:
        """Give the network the weights before a step."""
        with torch.no_grad():
            for parameter, weight in zip(self.network.parameters(), weights, strict=True):
                parameter.copy_(weight)


def passed(network, rows, attended_BT):
    """Log-probabilities and entropies [B, T] of the completions."""
    if not len(attended_BT):
        return torch.zeros(attended_BT.shape), torch.zeros(attended_BT.shape)
    ids = torch.cat([rows["prompt_ids"], rows["completion_ids"]], 1)
    mask = torch.cat([rows["prompt_mask"], attended_BT.long()], 1)
    logps = network(input_ids=ids, attention_mask=mask).logits[:, -attended_BT.size(1) - 1 : -1].log_softmax(-1)
    picked_BT = logps.gather(2, rows["completion_ids"].unsqueeze(2)).squeeze(2)
    return picked_BT, -(logps.exp() * logps).sum(-1)


@pytest.fixture
def equals_reference(trained, network, tokenizer):
    """`assert_equal_to_reference` on the tiny model."""
    return partial(assert_equal_to_reference, trained, network, tokenizer)


def assert_equal_to_reference(trained, network, tokenizer, loss_type, micro_batch, *, mask_truncated=False, **weights):
    weights = {"beta": 0.1} | weights
    options = {"loss_type": loss_type, "mask_truncated_completions": mask_truncated} | weights
    if loss_type == "luspo":
        options["importance_sampling_level"] = "sequence"
    steps, records = trained(micro_batch, **options)
    reference = Reference(network, tokenizer, records, mask_truncated=mask_truncated)
    given = Weights(max_tokens=MAX_TOKENS, sequence_level=loss_type == "luspo", **weights)
    accumulation = ROWS // micro_batch
    assert len(steps) == UPDATES * accumulation
    for update in range(UPDATES):
        of_update = steps[update * accumulation :][:accumulation]
        reference.at(of_update[0].weights)
        expected = step_loss(loss_type, [reference.part(step) for step in of_update], reference.tokens, given)
        gradient = gradient_of(expected, list(reference.network.parameters()))
        assert sum(step.loss for step in of_update) == pytest.approx(expected.item(), rel=CLOSE, abs=CLOSE)
        assert (sum(step.gradient for step in of_update) - gradient).norm() <= CLOSE * gradient.norm()
        assert gradient.norm() > 1e-2
    assert not reference.live.total()
    assert len(reference.kept) < UPDATES * ROWS


def test_every_loss_of_trl_has_a_reference():
    assert get_args(LossType) == LOSS_TYPES


@pytest.mark.parametrize(
    ("loss_type", "micro_batch"),
    [
        *((loss_type, 4) for loss_type in LOSS_TYPES),
        *(pytest.param(loss_type, 8, marks=[pytest.mark.slow] * (loss_type != "grpo")) for loss_type in LOSS_TYPES),
    ],
)
def test_a_step_is_the_mean_over_live_rows(equals_reference, loss_type, micro_batch):
    equals_reference(loss_type, micro_batch)


@pytest.mark.parametrize("loss_type", ["bnpo", "dapo", "grpo"])
def test_a_micro_batch_of_surplus_rows_alone_is_not_there(equals_reference, loss_type):
    equals_reference(loss_type, 1, entropy_coef=0.1)


@pytest.mark.parametrize("micro_batch", [4, 1])
def test_gmpo_goes_over_the_live_rows_with_a_token(equals_reference, micro_batch):
    clip = {"epsilon": 0.4, "epsilon_high": 0.4, "beta": 0.0}
    equals_reference("gmpo", micro_batch, mask_truncated=True, **clip)


@pytest.mark.parametrize("loss_type", ["bnpo", "dr_grpo", "grpo"])
def test_a_truncated_row_counts_as_in_trl(equals_reference, loss_type):
    equals_reference(loss_type, 4, mask_truncated=True)
