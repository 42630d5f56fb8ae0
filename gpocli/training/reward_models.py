"""The rewards of a run as a trainer takes them: functions as they are, reward models loaded. Imports torch."""

from collections.abc import Sequence
from typing import Any

from gpocli.contracts.building import NamedReward
from gpocli.contracts.reward_model import reward_model_of
from gpocli.policy.reward_model import load_reward_model


def with_models(rewards: Sequence[NamedReward]) -> tuple[list[Any], list[Any]]:
    """The rewards, and beside each the tokenizer of a model, None for a function.

    TRL logs a model under the end of its path, which a second one may have too; here it has the name of its reward,
    with a number from the second on. Raises as `load_reward_model`.
    """
    functions: list[Any] = [reward.function for reward in rewards]
    tokenizers: list[Any] = [None] * len(rewards)
    models = [(place, model) for place, one in enumerate(functions) if (model := reward_model_of(one)) is not None]
    for number, (place, model) in enumerate(models, 1):
        functions[place], tokenizers[place] = load_reward_model(model.path, model.revision, model.dtype)
        name = rewards[place].name
        functions[place].config.name_or_path = name if number == 1 else f"{name}#{number}"
    return functions, tokenizers
