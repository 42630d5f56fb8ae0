"""The built-in plugin: gpo's own filters, rewards and algorithms, through the hooks that every other plugin uses."""

from gpocli.algorithms import cispo, dapo, dr_grpo, gfpo, gmpo, grpo, gspo
from gpocli.builtin.filters import adaptive_difficulty, correct, length, random, token_efficiency
from gpocli.builtin.rewards import accuracy, exact, gym, length_aware_accuracy, length_penalty, overlong, think_format
from gpocli.extensions import AlgorithmExtension, FilterExtension, RewardExtension
from gpocli.hookspecs import hookimpl


@hookimpl
def gpo_filters() -> list[FilterExtension]:
    """The `EXTENSION` of each file in `builtin/filters`."""
    return [module.EXTENSION for module in (length, token_efficiency, adaptive_difficulty, correct, random)]


@hookimpl
def gpo_rewards() -> list[RewardExtension]:
    """The `EXTENSION` of each file in `builtin/rewards`."""
    modules = (accuracy, exact, think_format, length_penalty, overlong, length_aware_accuracy, gym)
    return [module.EXTENSION for module in modules]


@hookimpl
def gpo_algorithms() -> list[AlgorithmExtension]:
    """The `EXTENSION` of each file in `algorithms`."""
    return [module.EXTENSION for module in (gfpo, gmpo, grpo, gspo, dr_grpo, dapo, cispo)]
