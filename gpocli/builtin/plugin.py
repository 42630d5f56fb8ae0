"""The built-in plugin: what gpo brings itself, through the hooks that every other plugin uses."""

from gpocli.algorithms import cispo, dapo, dr_grpo, gfpo, gmpo, grpo, gspo
from gpocli.builtin.filters import adaptive_difficulty, contrast, correct, length, random, token_efficiency
from gpocli.builtin.guards import (
    absurd_rewards,
    all_cut,
    constant_reward,
    entropy_collapse,
    failed_rewards,
    kl_explosion,
    length_explosion,
    no_signal,
    not_finite,
    unscored,
    weights,
    wordier,
)
from gpocli.builtin.rewards import (
    accuracy,
    code,
    exact,
    gym,
    judge,
    language,
    length_aware_accuracy,
    length_penalty,
    model,
    overlong,
    repetition,
    think_format,
)
from gpocli.extensions import AlgorithmExtension, FilterExtension, GuardExtension, RewardExtension
from gpocli.hookspecs import hookimpl


@hookimpl
def gpo_filters() -> list[FilterExtension]:
    """The `EXTENSION` of each file in `builtin/filters`."""
    modules = (length, contrast, token_efficiency, adaptive_difficulty, correct, random)
    return [module.EXTENSION for module in modules]


@hookimpl
def gpo_rewards() -> list[RewardExtension]:
    """The `EXTENSION` of each file in `builtin/rewards`."""
    modules = (accuracy, exact, think_format, length_penalty, overlong, length_aware_accuracy, gym)
    more = (repetition, language, code, judge, model)
    return [module.EXTENSION for module in (*modules, *more)]


@hookimpl
def gpo_guards() -> list[GuardExtension]:
    """The `EXTENSION` of each file in `builtin/guards`; of several that give an alarm the first is heard."""
    modules = (weights, not_finite, failed_rewards, absurd_rewards, all_cut, unscored, no_signal)
    more = (kl_explosion, entropy_collapse, length_explosion, wordier, constant_reward)
    return [module.EXTENSION for module in (*modules, *more)]


@hookimpl
def gpo_algorithms() -> list[AlgorithmExtension]:
    """The `EXTENSION` of each file in `algorithms`."""
    return [module.EXTENSION for module in (gfpo, gmpo, grpo, gspo, dr_grpo, dapo, cispo)]
