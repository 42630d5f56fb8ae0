"""What a run will do, in a few lines, from its preflight alone."""

from gpocli.checks.preflight import Preflight
from gpocli.checks.race import race_of
from gpocli.checks.run_directory import chosen_directory
from gpocli.spec import RunSpec


def overview(ready: Preflight) -> dict[str, str]:
    """What will run, on what, for how long and where it goes, by a word each."""
    return {
        "run": what_runs(ready.spec),
        "prompts": _prompts(ready),
        "steps": _steps(ready),
        "rewards": ", ".join(_reward(one.name, one.weight) for one in ready.spec.rewards),
        **({"race": race_of(ready.spec, ready.group_filter, ready.rewards)} if ready.group_filter is not None else {}),
        "directory": _directory(ready),
    }


def what_runs(spec: RunSpec) -> str:
    """`gfpo 8/24 correct > length on embedded`."""
    algorithm = spec.algorithm
    sizes = f"{algorithm.group_size}" if algorithm.kept is None else f"{algorithm.kept}/{algorithm.group_size}"
    words = [algorithm.type, sizes, " > ".join(one.name for one in algorithm.chain), "on", spec.model.name]
    return " ".join(word for word in words if word)


def _prompts(ready: Preflight) -> str:
    rows, eval_rows = ready.rows, ready.eval_rows
    text = f"{len(rows):,} of {rows.source}" if not ready.spec.data.streaming else f"streamed from {rows.source}"
    if eval_rows is None:
        return text
    return f"{text}, {len(eval_rows):,} to evaluate on" + (
        "" if eval_rows.source == rows.source else f" of {eval_rows.source}"
    )


def _steps(ready: Preflight) -> str:
    run, plan = ready.spec.run, ready.plan
    length = f"{run.epochs:g} epochs" if run.steps is None else f"{run.steps:,}"
    candidates = f"{plan.prompts_per_step:,} prompts x {plan.candidates_per_prompt} candidates"
    kept = "" if plan.kept_per_prompt == plan.candidates_per_prompt else f", {plan.kept_per_prompt} kept"
    return f"{length}, each of {candidates}{kept}"


def _reward(name: str, weight: float) -> str:
    return name if weight == 1 else f"{name} x {weight:g}"


def _directory(ready: Preflight) -> str:
    path = chosen_directory(ready.spec.run)
    if path is None:
        filters = "-".join(one.name for one in (ready.group_filter.filters if ready.group_filter else ()))
        return f"runs/{'-'.join(filter(None, (ready.spec.algorithm.type, filters)))}-TIME"
    if path.is_dir() and any(path.iterdir()):
        return f"{path}, which is there already: go on with --resume, or name another with --out"
    return str(path)
