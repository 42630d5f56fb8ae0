"""The sums of a batch: what TRL calls the sizes that a run spec gives in prompts, and whether they divide."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from gpocli.errors import SpecError, counted
from gpocli.spec.run_spec import RunSpec

LARGEST_DEFAULT_MICRO_BATCH = 16

Suggestion = dict[str, int]
"""Settings that make a batch divide, by their dotted path."""


class BatchError(SpecError):
    """Sizes that do not divide; each of `suggestions`, put into the spec, mends it."""

    def __init__(self, text: str, suggestions: list[Suggestion]) -> None:
        super().__init__(text)
        self.suggestions = suggestions


@dataclass(frozen=True, slots=True)
class BatchPlan:
    """The sizes of a batch; rows are kept completions, all counts are over all processes unless they say so."""

    processes: int
    prompts_per_step: int
    candidates_per_prompt: int
    """G, sampled."""
    kept_per_prompt: int
    """k, trained on; G without a filter. TRL's `num_generations` once the group is filtered."""
    rows_per_step: int
    micro_batch: int
    """Rows a process trains on at a time; TRL's `per_device_train_batch_size`."""
    accumulation: int
    """Micro-batches a process adds up for a step; TRL's `gradient_accumulation_steps`."""
    updates_per_generation: int
    """Steps that use a generation batch once."""
    steps_per_generation: int
    """Micro-batches in a generation batch; TRL's `steps_per_generation`."""
    iterations: int
    """Times a generation batch is used; TRL's `num_iterations`."""
    prompts_per_generation: int
    generation_rows: int
    """Rows of a generation batch; TRL's `generation_batch_size`."""
    candidates_per_generation: int


@dataclass(frozen=True, slots=True)
class _Sizes:
    """What the sums are made of."""

    processes: int
    prompts: int
    candidates: int
    kept: int
    filtered: bool
    micro_batch: int | None
    updates: int
    iterations: int


def solve(spec: RunSpec, processes: int = 1) -> BatchPlan:
    """Derive TRL's arithmetic for a run on `processes` processes.

    Raises BatchError where the sizes do not divide, with the nearest that do.
    """
    if processes < 1:
        raise SpecError(f"{processes} processes cannot train; start at least 1")
    group_size, kept = spec.algorithm.group_size, spec.algorithm.kept
    sizes = _Sizes(
        processes=processes,
        prompts=spec.batch.prompts_per_step,
        candidates=group_size,
        kept=kept or group_size,
        filtered=kept is not None,
        micro_batch=spec.batch.micro_batch,
        updates=updates_per_generation(spec),
        iterations=spec.batch.iterations,
    )
    if wrong := _what_does_not_divide(sizes):
        suggestions = list(_suggestions(sizes))
        cures = " or ".join(_written(suggestion) for suggestion in suggestions)
        raise BatchError(f"{wrong}; write {cures}", suggestions)
    return _plan(sizes)


def updates_per_generation(spec: RunSpec) -> int:
    """Optimizer steps that one generation batch feeds, with the algorithm's own default."""
    return spec.batch.updates_per_generation or spec.extension.updates_per_generation


def notices(spec: RunSpec) -> list[str]:
    """What a user should know of a spec that is sound: settings that cannot have the effect they promise."""
    told: list[str] = spec.algorithm.notices(updates_per_generation(spec) * spec.batch.iterations)
    return [*told, *_unused(spec)]


def _unused(spec: RunSpec) -> Iterator[str]:
    """Yield a line where more than a fifth of what a run samples is never trained on: its last batch is left early."""
    if spec.run.steps is None:
        return
    updates = updates_per_generation(spec)
    whole, rest = divmod(spec.run.steps, updates * spec.batch.iterations)
    sampled, trained = (whole + bool(rest)) * updates, whole * updates + min(rest, updates)
    if trained < 0.8 * sampled:
        yield (
            f"{counted(spec.run.steps, 'step')} (run.steps) will sample {sampled / trained:.2g} times what is trained "
            f"on: each generation batch feeds {updates} updates; write --steps {sampled * spec.batch.iterations}, or "
            "batch.updates_per_generation: 1"
        )


def _plan(sizes: _Sizes) -> BatchPlan:
    rows = sizes.prompts * sizes.kept
    rows_per_process = rows // sizes.processes
    micro_batch = sizes.micro_batch or max(_divisors(rows_per_process, LARGEST_DEFAULT_MICRO_BATCH))
    accumulation = rows_per_process // micro_batch
    prompts = sizes.prompts * sizes.updates
    return BatchPlan(
        processes=sizes.processes,
        prompts_per_step=sizes.prompts,
        candidates_per_prompt=sizes.candidates,
        kept_per_prompt=sizes.kept,
        rows_per_step=rows,
        micro_batch=micro_batch,
        accumulation=accumulation,
        updates_per_generation=sizes.updates,
        steps_per_generation=accumulation * sizes.updates,
        iterations=sizes.iterations,
        prompts_per_generation=prompts,
        generation_rows=prompts * sizes.kept,
        candidates_per_generation=prompts * sizes.candidates,
    )


def _divisors(number: int, largest: int) -> list[int]:
    return [d for d in range(1, min(number, largest) + 1) if number % d == 0]


def _what_does_not_divide(sizes: _Sizes) -> str | None:
    rows = sizes.prompts * sizes.kept
    sum_of_rows = f"batch.prompts_per_step {sizes.prompts} x {sizes.kept} {_rows(sizes)} = {rows} rows a step"
    if rows % sizes.processes:
        return f"{sum_of_rows}, which {sizes.processes} processes cannot share evenly"
    # a filter needs all of a group, so no group is spread over processes
    if sizes.filtered and sizes.prompts * sizes.updates % sizes.processes:
        groups = sizes.prompts * sizes.updates
        return (
            f"batch.prompts_per_step {sizes.prompts} x {sizes.updates} updates = {groups} groups a generation"
            f" batch, of which {sizes.processes} processes cannot hold equally many whole ones"
        )
    rows_per_process = rows // sizes.processes
    if sizes.micro_batch and rows_per_process % sizes.micro_batch:
        a_process = "" if sizes.processes == 1 else f", {rows_per_process} a process"
        return f"{sum_of_rows}{a_process}, which do not split into micro-batches of {sizes.micro_batch}"
    return None


def _rows(sizes: _Sizes) -> str:
    return "kept" if sizes.filtered else "completions"


def _suggestions(sizes: _Sizes) -> Iterator[Suggestion]:
    """Yield the nearest settings that divide, each of them checked."""

    def divides(changed: _Sizes) -> bool:
        return _what_does_not_divide(changed) is None

    rows, odd = divmod(sizes.prompts * sizes.kept, sizes.processes)
    if sizes.micro_batch and not odd:
        of_micro_batch = _nearest(sizes.micro_batch, rows, lambda n: divides(replace(sizes, micro_batch=n)))
        if of_micro_batch:
            yield from ({"batch.micro_batch": size} for size in of_micro_batch)
            return
    # every multiple of processes x micro-batch divides, and within this span there is one
    span = sizes.prompts + sizes.processes * (sizes.micro_batch or 1)
    of_prompts = _nearest(sizes.prompts, span, lambda n: divides(replace(sizes, prompts=n)))
    yield from ({"batch.prompts_per_step": prompts} for prompts in of_prompts)


def _nearest(wanted: int, largest: int, fits: Callable[[int], bool]) -> list[int]:
    """The nearest fitting numbers on both sides of `wanted`, from 1 to `largest`."""
    below = next((n for n in range(wanted - 1, 0, -1) if fits(n)), None)
    above = next((n for n in range(wanted + 1, largest + 1) if fits(n)), None)
    return [n for n in (below, above) if n is not None]


def _written(suggestion: Suggestion) -> str:
    return " and ".join(f"{path}: {value}" for path, value in suggestion.items())
