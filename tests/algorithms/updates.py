"""Runs of one generation batch and several updates, and what each update saw and did.

The weights are float64, but TRL's log-probabilities are float32: one of about 4 is exact to 2e-7, and what is made of a
hundred of them to some 1e-6 of its size. Another formula differs by far more.
"""

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import pytest
import torch
from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import GRPOConfig, GRPOTrainer

from gpocli.contracts.filter import GroupFilter
from gpocli.plugin_manager import load_plugins
from gpocli.spec import RunSpec
from gpocli.spec.batch import solve
from gpocli.spec.trl_config import trainer_options
from gpocli.trainers.config import GroupConfig
from gpocli.trainers.trainer import GroupTrainer

UPDATES = 4
MAX_TOKENS = 12
CLOSE = 1e-5
OURS = {field.name for field in fields(GroupConfig)} - {field.name for field in fields(GRPOConfig)}
"""Options of gpo's configs that TRL's has not."""


@dataclass
class Update:
    """What one update was given, the weights before it, and the loss and gradient that came of it."""

    rows: dict[str, torch.Tensor]
    weights: list[torch.Tensor]
    loss: float
    gradient: torch.Tensor


def spec_of(algorithm: str, **settings: Any) -> RunSpec:
    """A run of one generation batch: 8 groups of 4, two for each of 4 updates, far enough to leave ratios of 1."""
    return RunSpec.model_validate(
        {
            "algorithm": {"type": algorithm, "group_size": 4, **settings},
            "batch": {"prompts_per_step": 2, "updates_per_generation": UPDATES},
            "sampling": {"max_tokens": MAX_TOKENS, "engine": "generate"},
            "optim": {"learning_rate": 1.0, "optimizer": "sgd", "max_grad_norm": 0},
            "run": {"steps": UPDATES, "seed": 3},
        }
    )


def count_letters(completions: list[str], **columns: Any) -> list[float]:
    return [float(sum(c.isalpha() for c in completion)) for completion in completions]


def updates_of(spec: RunSpec, folder: Path, model: str, *, trl: dict[str, Any] | None = None) -> list[Update]:
    """Train as `spec` says: with gpo's trainer, or with TRL's and the options `trl` in place of the algorithm's."""
    options = trainer_options(spec, solve(spec), folder, "cpu") | {"save_strategy": "no"}
    if trl is not None:
        of_algorithm = {*spec.extension.options, *OURS, "epsilon", "epsilon_high"}
        options = {name: value for name, value in options.items() if name not in of_algorithm} | trl
    filters = [load_plugins(entry_points=False).build_filter(one.name, one.options) for one in spec.algorithm.chain]
    ours = {} if trl is not None or not filters else {"group_filter_func": GroupFilter(filters)}
    trainer_class, config_class = (GroupTrainer, GroupConfig) if trl is None else (GRPOTrainer, GRPOConfig)
    trainer = trainer_class(
        model=AutoModelForCausalLM.from_pretrained(model, dtype=torch.float64),
        processing_class=AutoTokenizer.from_pretrained(model),
        reward_funcs=count_letters,
        args=config_class(**options),
        train_dataset=Dataset.from_dict({"prompt": [f"say {i}" for i in range(8)]}),
        **ours,
    )
    updates: list[Update] = []
    compute = trainer._compute_loss

    def watched(model: Any, inputs: dict[str, Any]) -> torch.Tensor:
        loss = compute(model, inputs)
        parameters = list(model.parameters())
        weights = [weight.detach().clone() for weight in parameters]
        updates.append(Update(dict(inputs), weights, loss.item(), gradient_of(loss, parameters, retain_graph=True)))
        return loss

    trainer._compute_loss = watched
    trainer.train()
    return updates


def gradient_of(loss: torch.Tensor, parameters: list[torch.Tensor], **options: Any) -> torch.Tensor:
    return torch.cat([gradient.flatten() for gradient in torch.autograd.grad(loss, parameters, **options)])


def assert_equal_to_trl(algorithm: str, folder: Path, model: str, trl: dict[str, Any], **settings: Any) -> None:
    """With k = G every update has the loss and the gradient of TRL's trainer with the options `trl`."""
    ours = updates_of(spec_of(algorithm, filters=["length"], keep=4, **settings), folder, model)
    theirs = updates_of(spec_of(algorithm, **settings), folder, model, trl=trl)
    assert len(ours) == len(theirs) == UPDATES
    for our, their in zip(ours, theirs, strict=True):
        assert our.loss == pytest.approx(their.loss, rel=CLOSE, abs=CLOSE)
        assert (our.gradient - their.gradient).norm() < CLOSE * their.gradient.norm()
        assert their.gradient.norm() > 1e-3


def assert_equal_to_reference(
    algorithm: str, folder: Path, model: str, loss: Any, *, scaled: bool = True, **settings: Any
) -> None:
    """With k < G every update has the `loss` of `tests.algorithms.reference` over the kept rows, and its gradient."""
    updates = updates_of(spec_of(algorithm, filters=["length"], keep=2, **settings), folder, model)
    assert_advantages(updates, model, scaled=scaled)
    tokens = sum(update.rows["completion_mask"].sum() for update in updates) / UPDATES
    ratios = []
    network = AutoModelForCausalLM.from_pretrained(model, dtype=torch.float64)
    for update in updates:
        with torch.no_grad():
            old_BT = logps_of(network, update.rows, updates[0].weights)
        logps_BT = logps_of(network, update.rows, update.weights)
        mask_BT, advantage_B = update.rows["completion_mask"], update.rows["advantages"].double()
        expected = loss(logps_BT, logps_BT - old_BT, advantage_B, mask_BT, tokens)
        gradient = gradient_of(expected, list(network.parameters()))
        assert update.loss == pytest.approx(expected.item(), rel=CLOSE, abs=CLOSE)
        assert (update.gradient - gradient).norm() <= CLOSE * gradient.norm()
        ratios.append(((logps_BT - old_BT).exp() * mask_BT).max().item())
    assert ratios[0] == 1
    assert max(ratios) > 1.5


def logps_of(network: Any, rows: dict[str, torch.Tensor], weights: list[torch.Tensor]) -> torch.Tensor:
    """Log-probabilities [B, T] of the completions under `weights`."""
    with torch.no_grad():
        for parameter, weight in zip(network.parameters(), weights, strict=True):
            parameter.copy_(weight)
    ids = torch.cat([rows["prompt_ids"], rows["completion_ids"]], 1)
    mask = torch.cat([rows["prompt_mask"], rows["completion_mask"]], 1)
    length = rows["completion_ids"].size(1)
    logits = network(input_ids=ids, attention_mask=mask).logits[:, -length - 1 : -1]
    return logits.log_softmax(-1).gather(2, rows["completion_ids"].unsqueeze(2)).squeeze(2)


def assert_advantages(updates: list[Update], model: str, *, scaled: bool) -> None:
    """The advantages of the kept rows: R - mean of their group, by its deviation + 1e-4 where they are scaled."""
    tokenizer = AutoTokenizer.from_pretrained(model)
    groups: dict[str, list[tuple[float, float]]] = {}
    for update in updates:
        rows = update.rows
        prompts = tokenizer.batch_decode(rows["prompt_ids"], skip_special_tokens=True)
        rewards = count_letters(tokenizer.batch_decode(rows["completion_ids"], skip_special_tokens=True))
        for prompt, reward, advantage in zip(prompts, rewards, rows["advantages"].tolist(), strict=True):
            groups.setdefault(prompt, []).append((reward, advantage))
    assert [len(group) for group in groups.values()] == [2] * 8
    for group in groups.values():
        rewards = torch.tensor([reward for reward, _ in group], dtype=torch.float64)
        expected = (rewards - rewards.mean()) / (rewards.std() + 1e-4 if scaled else 1)
        # rewards and advantages are float32 in TRL
        assert [advantage for _, advantage in group] == pytest.approx(expected.tolist(), rel=1e-5, abs=1e-6)
