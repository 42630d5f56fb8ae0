"""Whether candidates that can no longer be kept are stopped in a run, and why not."""

from collections.abc import Sequence

from gpocli.contracts.building import NamedReward
from gpocli.contracts.filter import GroupFilter
from gpocli.contracts.race import why_no_race
from gpocli.contracts.reward import checked_rewards
from gpocli.contracts.reward_call import RewardRules
from gpocli.spec import RunSpec


def race_of(spec: RunSpec, group_filter: GroupFilter, rewards: Sequence[NamedReward]) -> str:
    """`yes`, or `no` and why; a model or prompts that take TRL's path are not known yet."""
    reason = _of_settings(spec)
    if reason is None:
        checked = checked_rewards(
            [one.function for one in rewards],
            [one.name for one in rewards],
            [RewardRules(one.seconds, one.on_error) for one in spec.rewards],
        )
        reason = why_no_race(group_filter, checked, [one.weight for one in spec.rewards])
    return "yes" if reason is None else f"no, {reason}"


def _of_settings(spec: RunSpec) -> str | None:
    algorithm = spec.algorithm
    if algorithm.kept == algorithm.group_size:
        return "all candidates are kept"
    if not getattr(algorithm, "race", True):
        return "algorithm.race is false"
    if getattr(algorithm, "divisor", "kept") == "group":
        return "algorithm.divisor: group counts the tokens of all candidates"
    if spec.sampling.engine == "generate":
        return "sampling.engine: generate is TRL's path"
    return None
