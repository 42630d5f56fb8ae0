"""The metric by which a run keeps its best model: one that an evaluation has."""

from collections.abc import Sequence
from difflib import get_close_matches

from gpocli.checks.findings import Findings
from gpocli.contracts.building import NamedReward
from gpocli.contracts.callables import call_signature
from gpocli.evaluation.grader import right_reward
from gpocli.spec import RunSpec
from gpocli.spec.wording import shown

FIGURES = (
    "completions/clipped_ratio completions/length_90 completions/max_length completions/max_terminated_length "
    "completions/mean_length completions/mean_terminated_length completions/median_length completions/min_length "
    "completions/min_terminated_length entropy loss "
    "num_tokens policy_loss reward reward_std runtime samples_per_second steps_per_second"
).split()
"""What every evaluation has; clip figures are named by the algorithm."""


def check_best_model(findings: Findings, rewards: Sequence[NamedReward]) -> None:
    """Find a metric that no evaluation has; `rewards` are those that could be had."""
    spec, metric = findings.spec, findings.spec.trl.get("metric_for_best_model")
    if not isinstance(metric, str) or len(rewards) < len(spec.rewards) or not findings.are_sound("rewards"):
        return
    if any(_logs_its_own(reward) for reward in rewards):
        return
    names = metrics_of(spec, rewards)
    name = metric.removeprefix("eval_")
    if name in names or name.startswith("clip_ratio/"):
        return
    near = get_close_matches(name, names, n=1)
    listed = f"write {near[0]}" if near else f"there are: {', '.join(names)}"
    findings.add("trl.metric_for_best_model", f"no evaluation has {shown(metric)}; {listed}")


def metrics_of(spec: RunSpec, rewards: Sequence[NamedReward]) -> list[str]:
    """The names of the figures of an evaluation, without the `eval_` before them."""
    of_rewards = [f"rewards/{reward.name}/{what}" for reward in rewards for what in ("mean", "std")]
    of_right = ["completions/tokens_per_right"] if right_reward([reward.name for reward in rewards]) else []
    return sorted([*FIGURES, *of_rewards, *of_right, *(["kl"] if spec.algorithm.beta else [])])


def _logs_its_own(reward: NamedReward) -> bool:
    signature = call_signature(reward.function, leading=0)
    return signature is None or "log_metric" in signature.named
