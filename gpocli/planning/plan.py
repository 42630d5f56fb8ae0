"""The plan of a run: its batch, what it makes of the data, and the memory that a process needs."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from gpocli.checks.data import check_rows
from gpocli.checks.demo import names_no_data
from gpocli.checks.findings import Findings
from gpocli.checks.preflight import examine
from gpocli.checks.race import race_of
from gpocli.contracts.guards import NamedGuard
from gpocli.data import Rows
from gpocli.embedded import model_folder
from gpocli.planning.architecture import Architecture
from gpocli.planning.checkpoint import NoConfig, find_architecture
from gpocli.planning.memory import MemoryEstimate, RunSizes, estimate_memory
from gpocli.spec import RunSpec
from gpocli.spec.batch import BatchPlan, notices, solve
from gpocli.spec.fault import Fault, as_error
from gpocli.spec.load import Draft
from gpocli.spec.sources import SpecSources, draft_run_spec
from gpocli.spec.trl_config import trainer_options

_BYTES_A_TOKEN = 3
"""Of text, at least on average, in the tokenizers of today's models."""
_TEMPLATE_TOKENS = 32
"""What a chat template adds to a prompt."""


@dataclass(frozen=True, slots=True)
class DataPlan:
    """What a run makes of its rows."""

    rows: int
    prompts_per_epoch: int
    unused_per_epoch: int
    """Rows that an epoch leaves out because they fill no generation batch."""
    shuffled: bool
    steps_per_epoch: int
    steps: int
    """Optimizer steps of the run."""

    @property
    def epochs(self) -> float:
        """Passes over the data in the run."""
        return self.steps / self.steps_per_epoch


@dataclass(frozen=True, slots=True)
class PromptTokens:
    """Tokens of the longest prompt, and where the number is from."""

    tokens: int
    how: str


@dataclass(frozen=True, slots=True)
class RunPlan:
    """Everything that `gpo plan` shows. `data` and `memory` are None where a note says why."""

    spec: RunSpec
    batch: BatchPlan
    data: DataPlan | None
    prompt: PromptTokens
    memory: MemoryEstimate | None
    notes: tuple[str, ...]
    guards: tuple[NamedGuard, ...] = ()
    """What watches over the run."""


def plan_run(sources: SpecSources, processes: int = 1) -> RunPlan:
    """Work the plan of a run out.

    Raises the error of `gpo check`, with sizes that divide where those of the spec do not. What only training needs
    (a package, the weights) may be missing, and rows on a hub that does not answer: then a note says so.
    """
    draft = draft_run_spec(sources)
    examined = examine(draft, processes)
    if examined.ready is not None:
        ready, told = examined.ready, list(examined.ready.notes)
        if ready.group_filter is not None:
            told.append(f"race: {race_of(ready.spec, ready.group_filter, ready.rewards)}")
        return _planned(ready.spec, ready.plan, ready.rows, told, examined.guards)
    if draft.spec is None or not all(_can_be_missing(fault, draft) for fault in examined.faults):
        raise as_error(examined.faults)
    batch = solve(draft.spec, processes)
    has_rows = not any(fault.key.startswith("data.") for fault in examined.faults)
    rows = check_rows(Findings(draft), batch) if has_rows else None
    return _planned(draft.spec, batch, rows, [*map(str, examined.faults), *notices(draft.spec)], examined.guards)


def _can_be_missing(fault: Fault, draft: Draft) -> bool:
    assert draft.spec is not None
    is_about_weights = fault.key == "model.name" and (model_folder(draft.spec.model.name) / "config.json").is_file()
    is_about_no_data = fault.key == "data.source" and names_no_data(draft)
    return fault.kind == "environment" or is_about_weights or is_about_no_data


def _planned(
    spec: RunSpec, batch: BatchPlan, rows: Rows | None, notes: list[str], guards: Sequence[NamedGuard]
) -> RunPlan:
    model = None
    try:
        model = find_architecture(spec.model)
    except NoConfig as fault:
        notes.append(f"memory is not estimated: {fault}")
    prompt = longest_prompt(spec, rows, None if model is None else model.context)
    memory = None if model is None else estimate_memory(model, run_sizes(spec, batch, model, prompt.tokens))
    data = None if rows is None or spec.data.streaming else plan_data(spec, batch, len(rows))
    return RunPlan(spec, batch, data, prompt, memory, tuple(notes), tuple(guards))


def plan_data(spec: RunSpec, batch: BatchPlan, rows: int) -> DataPlan:
    """What the sampler of TRL does with `rows` rows: it leaves the last incomplete generation batch out."""
    generations, unused = divmod(rows, batch.prompts_per_generation)
    steps_per_epoch = generations * batch.updates_per_generation * batch.iterations
    steps = spec.run.steps or math.ceil((spec.run.epochs or 1.0) * steps_per_epoch)
    return DataPlan(rows, rows - unused, unused, spec.data.shuffle, steps_per_epoch, steps)


def longest_prompt(spec: RunSpec, rows: Rows | None, context: int | None) -> PromptTokens:
    """The longest prompt: as the spec limits it, else estimated from the text of the rows."""
    if spec.data.max_prompt_tokens is not None:
        return PromptTokens(spec.data.max_prompt_tokens, "data.max_prompt_tokens")
    if rows is None:
        return PromptTokens(512, "assumed; write data.max_prompt_tokens")
    size = max(_text_bytes(row["prompt"]) for row in rows)
    tokens = math.ceil(size / _BYTES_A_TOKEN) + (0 if isinstance(rows[0]["prompt"], str) else _TEMPLATE_TOKENS)
    if context is not None and context > spec.sampling.max_tokens:
        tokens = min(tokens, context - spec.sampling.max_tokens)
    return PromptTokens(tokens, f"estimated from the longest, of {size} bytes")


def run_sizes(spec: RunSpec, batch: BatchPlan, model: Architecture, prompt_tokens: int) -> RunSizes:
    """What decides the memory of a run, as TRL will be told on a GPU."""
    options = trainer_options(spec, batch, Path("."), "cuda")
    given = (options["model_init_kwargs"] or {}).get("dtype", "float32")  # TRL's default, whatever is stored
    dtype = (model.dtype or "float32") if given == "auto" else given
    return RunSizes(
        dtype=dtype,
        autocast=bool(options["bf16"] or options["fp16"]),
        reference=spec.algorithm.beta > 0,
        lora=spec.model.lora,
        quantization=spec.model.quantization,
        optimizer=spec.optim.optimizer,
        checkpointing=spec.optim.gradient_checkpointing,
        eager=spec.model.attention == "eager",
        engine=spec.sampling.engine,
        processes=batch.processes,
        micro_batch=batch.micro_batch,
        candidates=math.ceil(batch.candidates_per_generation / batch.processes),
        prompt_tokens=prompt_tokens,
        completion_tokens=spec.sampling.max_tokens,
    )


def _text_bytes(prompt: object) -> int:
    if isinstance(prompt, str):
        return len(prompt.encode("utf-8", "surrogatepass"))
    assert isinstance(prompt, list)
    return sum(_text_bytes(str(message.get("content", ""))) for message in prompt)
