"""A guard tried on steps without anything to tell, and on healthy ones: it keeps its contract and is silent."""

from dataclasses import replace
from pathlib import Path

from gpocli.contracts.guards import Guards, NamedGuard, Verdict, told_by_run
from gpocli.contracts.options import OptionsError, checked_options
from gpocli.errors import GpoError
from gpocli.extensions import GuardExtension
from gpocli.runs.directory import RunDirectory
from gpocli.trial.recorded import run_spec

STEPS = 50
HEALTHY = {
    "loss": 0.01,
    "grad_norm": 0.2,
    "entropy": 0.7,
    "kl": 0.01,
    "reward": 0.5,
    "reward_std": 0.4,
    "rewards/accuracy/mean": 0.5,
    "rewards/accuracy/std": 0.4,
    "frac_reward_zero_std": 0.2,
    "completions/mean_length": 200.0,
    "completions/clipped_ratio": 0.05,
    "kept/advantage_length_correlation": -0.1,
    "kept/right_length": 190.0,
    "kept/wrong_length": 210.0,
}
"""A step with nothing wrong."""


def try_guard(extension: GuardExtension) -> tuple[str, list[str]]:
    """What came of it, and the faults."""
    name = extension.name
    try:
        guard = extension.build(checked_options(extension.options, {}, f"guard '{name}'"))
        guards = Guards([NamedGuard(name, getattr(guard, "check", guard), extension.action)])
        for step, odd in enumerate(({}, dict.fromkeys(HEALTHY))):
            guards.look(step, odd)
        verdicts = [one for step in range(2, STEPS) for one in guards.look(step, HEALTHY)]
    except OptionsError as error:
        return f"not tried: {error.problems[0].text}", []
    except GpoError as error:
        return "fails", [str(error)]
    faults = [f"{one}, which is a healthy one: let it be silent then" for one in verdicts[:1]]
    return "sound", faults


def options_of_run(extension: GuardExtension, run: Path) -> dict[str, str]:
    """The options that a run would fill in, from its spec where a guard asks for any. Raises SpecError without one."""
    if not told_by_run(extension.options, [extension.name]):
        return {}
    return told_by_run(extension.options, [one.name for one in run_spec(run).algorithm.chain])


def replay(guard: NamedGuard, run: Path) -> tuple[int, list[Verdict]]:
    """The number of steps that a run has logged, and what a guard says of them. Raises SpecError without a run."""
    guards = Guards([replace(guard, action="stop")])  # which tells every step
    lines = [line for line in RunDirectory.find(run).read_metrics() if line.get("kind") == "train"]
    return len(lines), [verdict for line in lines for verdict in guards.look(line["step"], line)]
