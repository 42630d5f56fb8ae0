"""`gpo plan`: the arithmetic of a run and the memory it needs, before anything is loaded."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from gpocli.cli.console import plain_table, print_json, print_lines, print_table
from gpocli.cli.spec_command import AsJson, Processes, reads_spec

if TYPE_CHECKING:
    from gpocli.planning.plan import RunPlan
    from gpocli.spec.sources import SpecSources

Line = tuple[str, str, str]
"""What, how much, and how it comes about."""


@reads_spec
def plan_command(sources: "SpecSources", processes: Processes = None, as_json: AsJson = False) -> None:
    """Show the steps of a run and the memory it needs, before a model is loaded."""
    from gpocli.checks.preflight import processes_of_this_run
    from gpocli.planning.plan import plan_run

    plan = plan_run(sources, processes or processes_of_this_run())
    if as_json:
        print_json(as_record(plan))
    else:
        show(plan)


def as_record(plan: "RunPlan") -> dict[str, Any]:
    """The plan as JSON has it: sizes in rows, tokens and bytes."""
    memory = plan.memory
    return {
        "algorithm": plan.spec.algorithm.type,
        "model": plan.spec.model.name,
        "batch": asdict(plan.batch),
        "tokens": {
            "longest_prompt": plan.prompt.tokens,
            "longest_completion": plan.spec.sampling.max_tokens,
            "sampled_per_step_at_most": _sampled_tokens(plan),
            "trained_per_step_at_most": plan.batch.rows_per_step * plan.spec.sampling.max_tokens,
        },
        "data": None if plan.data is None else {**asdict(plan.data), "epochs": plan.data.epochs},
        "memory": None
        if memory is None
        else {
            "parameters": memory.parameters,
            "trained_parameters": memory.trained_parameters,
            "while_sampling": memory.while_sampling,
            "while_training": memory.while_training,
            "parts": [asdict(part) for part in memory.parts],
            "notes": list(memory.notes),
        },
        "guards": {guard.name: guard.action for guard in plan.guards},
        "notes": list(plan.notes),
    }


def show(plan: "RunPlan") -> None:
    """Print the plan as tables."""
    from gpocli.checks.overview import what_runs

    processes = _times(plan.batch.processes, "process", "processes")
    print_lines(f"{what_runs(plan.spec)}, {processes}", "")
    _table("a step", step_lines(plan))
    _table("a generation batch", generation_lines(plan))
    if plan.data is not None:
        _table("the data", data_lines(plan))
    if plan.memory is not None:
        _table("memory of a process, on a GPU", memory_lines(plan))
        print_lines(*(f"- {note}" for note in plan.memory.notes))
    print_lines(*(f"- {note}" for note in (guard_line(plan), *plan.notes)))


def step_lines(plan: "RunPlan") -> list[Line]:
    """The lines about one optimizer step."""
    batch = plan.batch
    shared = "" if batch.processes == 1 else f" / {batch.processes} processes"
    kept = f"{batch.kept_per_prompt} kept of {batch.candidates_per_prompt}"
    if batch.kept_per_prompt == batch.candidates_per_prompt:
        kept = f"{batch.candidates_per_prompt} completions"
    longest = plan.spec.sampling.max_tokens
    return [
        ("prompts", _count(batch.prompts_per_step), "batch.prompts_per_step"),
        ("rows trained on", _count(batch.rows_per_step), f"{batch.prompts_per_step} prompts x {kept}"),
        (
            "micro-batches" + (" a process" if shared else ""),
            _count(batch.accumulation),
            f"{batch.rows_per_step} rows{shared} / {batch.micro_batch} rows at a time",
        ),
        (
            "tokens at most",
            _count(batch.rows_per_step * longest),
            f"{batch.rows_per_step} rows x {longest} (sampling.max_tokens)",
        ),
    ]


def generation_lines(plan: "RunPlan") -> list[Line]:
    """The lines about what is sampled at once."""
    batch, longest = plan.batch, plan.spec.sampling.max_tokens
    updates, iterations = batch.updates_per_generation, batch.iterations
    return [
        (
            "prompts",
            _count(batch.prompts_per_generation),
            f"{batch.prompts_per_step} a step x {_times(updates, 'update')}",
        ),
        (
            "candidates sampled",
            _count(batch.candidates_per_generation),
            f"{batch.prompts_per_generation} prompts x {batch.candidates_per_prompt} (algorithm.group_size)",
        ),
        (
            "rows trained on",
            _count(batch.generation_rows),
            f"{batch.prompts_per_generation} prompts x {batch.kept_per_prompt}",
        ),
        ("steps", _count(updates * iterations), f"{_times(updates, 'update')} x {_times(iterations, 'iteration')}"),
        (
            "tokens at most",
            _count(batch.candidates_per_generation * longest),
            f"{batch.candidates_per_generation} candidates x {longest} (sampling.max_tokens)",
        ),
        *_flat_line(plan),
    ]


def _flat_line(plan: "RunPlan") -> list[Line]:
    """What becomes of flat groups, where it is not what TRL does."""
    algorithm = plan.spec.algorithm
    if algorithm.flat_groups == "train":
        return []
    if algorithm.flat_groups == "skip":
        return [("flat groups", "skip", "sampled, and in no pass of an update")]
    most = algorithm.flat_max_prompts * plan.batch.prompts_per_generation
    how = f"algorithm.flat_max_prompts {algorithm.flat_max_prompts}"
    return [("flat groups", "refill", f"at most {most:,} prompts ({how})")]


def data_lines(plan: "RunPlan") -> list[Line]:
    """The lines about the rows and the length of the run."""
    data, batch = plan.data, plan.batch
    assert data is not None
    generations = data.prompts_per_epoch // batch.prompts_per_generation
    unused = (
        "none" if not data.unused_per_epoch else "other ones each epoch" if data.shuffled else "the last ones, always"
    )
    per_generation = batch.updates_per_generation * batch.iterations
    length = "run.steps" if plan.spec.run.steps is not None else f"run.epochs {plan.spec.run.epochs:g}"
    return [
        ("rows", _count(data.rows), plan.spec.data.source),
        (
            "prompts an epoch",
            _count(data.prompts_per_epoch),
            f"{_times(generations, 'generation batch', 'generation batches')} of {batch.prompts_per_generation}",
        ),
        ("unused an epoch", _count(data.unused_per_epoch), unused),
        (
            "steps an epoch",
            _count(data.steps_per_epoch),
            f"{_times(generations, 'generation batch', 'generation batches')} x {_times(per_generation, 'step')}",
        ),
        ("steps of the run", _count(data.steps), f"{length}, {data.epochs:.3g} epochs"),
    ]


def guard_line(plan: "RunPlan") -> str:
    """What watches over the run, by what it does: `guards: weights (stop_and_restore), ...; off: no_signal`."""
    by_action: dict[str, list[str]] = {}
    for guard in plan.guards:
        by_action.setdefault(guard.action, []).append(guard.name)
    watching = [f"{', '.join(names)} ({action})" for action, names in by_action.items()]
    off = [name for name, setting in plan.spec.guards.items() if setting == "off"]
    return f"guards: {'; '.join(watching) or 'none'}" + (f"; off: {', '.join(off)}" if off else "")


def memory_lines(plan: "RunPlan") -> list[Line]:
    """The lines about memory: its parts, and their sums while sampling and while training."""
    memory = plan.memory
    assert memory is not None
    lines: list[Line] = [("longest prompt", f"{_count(plan.prompt.tokens)} tokens", plan.prompt.how)]
    for part in memory.parts:
        about = "" if part.exact else "about "
        when = "" if part.when == "always" else f"while {part.when}: "
        lines.append((part.name, f"{about}{size(part.bytes)}", f"{when}{part.how}"))
    lines.append(("sampling needs", f"about {size(memory.while_sampling)}", "all parts that are there while sampling"))
    lines.append(("training needs", f"about {size(memory.while_training)}", "all parts that are there while training"))
    return lines


def size(number: float) -> str:
    """Bytes as a person reads them: `512 B`, `1.50 KiB`, `20.0 GiB`."""
    units = ["B", "KiB", "MiB", "GiB", "TiB"]
    while number >= 1000 and len(units) > 1:
        number, units = number / 1024, units[1:]
    digits = 0 if units[0] == "B" or number >= 100 else 1 if number >= 10 else 2
    return f"{number:.{digits}f} {units[0]}"


def _sampled_tokens(plan: "RunPlan") -> int:
    """Tokens sampled for a step at most; a generation batch is shared by all the steps that use it."""
    batch = plan.batch
    steps = batch.updates_per_generation * batch.iterations
    return _divided_up(batch.candidates_per_generation * plan.spec.sampling.max_tokens, steps)


def _divided_up(number: int, parts: int) -> int:
    """`number` divided into `parts`, rounded up."""
    return -(-number // parts)


def _times(number: int, one: str, many: str | None = None) -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"


def _count(number: int) -> str:
    return f"{number:,}"


def _table(title: str, lines: list[Line]) -> None:
    print_table(plain_table((title, "count", "made of"), lines, right=("count",)))
    print_lines("")
