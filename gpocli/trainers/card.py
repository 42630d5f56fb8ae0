"""The card beside each model that a trainer saves: what a run tells of itself, or what the trainer alone knows."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from trl.trainer.utils import get_config_model_id

from gpocli.algorithms import gfpo, grpo
from gpocli.extensions import AlgorithmExtension
from gpocli.sharing.card import CardFacts, render_card
from gpocli.sharing.facts import versions_here
from gpocli.sharing.public import base_name, is_hub_id, shown

CARD = "README.md"


def write_card(
    trainer: Any, folder: Path, name: str | None = None, dataset: str | None = None, tags: Sequence[str] = ()
) -> None:
    """Write the card into `folder`, over one that a library has put there."""
    facts = facts_of_trainer(trainer) if trainer.card is None else trainer.card()
    facts = replace(facts, name=name if name and trainer.card is None else facts.name, tags=[*facts.tags, *tags])
    if dataset is not None and dataset not in facts.datasets:
        facts = replace(facts, datasets=[*facts.datasets, dataset])
    folder.mkdir(parents=True, exist_ok=True)
    (folder / CARD).write_text(render_card(facts), encoding="utf-8", newline="\n")


def facts_of_trainer(trainer: Any) -> CardFacts:
    """What a trainer that no spec stands behind knows of its model."""
    model = trainer.accelerator.unwrap_model(trainer.model, keep_torch_compile=False)
    base, method, is_filtered = get_config_model_id(model.config), _method(trainer), trainer.group_filter is not None
    steps, loss = trainer.state.global_step, trainer.args.loss_type
    rewards = zip(trainer.reward_func_names, trainer.reward_weights.tolist(), strict=True)
    return CardFacts(
        name=(trainer.args.hub_model_id or Path(trainer.args.output_dir).absolute().name).split("/")[-1],
        method=method,
        filtered_as=gfpo.EXTENSION if is_filtered and method is not gfpo.EXTENSION else None,
        base=base_name(base) if base else None,
        base_is_public=bool(base) and is_hub_id(base),
        is_adapter=hasattr(model, "peft_config"),
        group_size=trainer.group_size,
        keep=trainer.keep,
        filters=[f"`{shown(one.name)}`" for one in trainer.group_filter.filters] if is_filtered else [],
        rewards=[f"`{shown(name)}`" + ("" if weight == 1 else f", weight {weight:g}") for name, weight in rewards],
        course=[f"Steps: {steps:,}", *([f"Loss: `{loss}`"] if method is not trainer.args.algorithm else [])],
        versions=versions_here(),
    )


def _method(trainer: Any) -> AlgorithmExtension:
    """What a config class is for; where that is open, the filter makes it GFPO."""
    declared: AlgorithmExtension | None = trainer.args.algorithm
    if declared is not None:
        return declared
    return grpo.EXTENSION if trainer.group_filter is None else gfpo.EXTENSION
