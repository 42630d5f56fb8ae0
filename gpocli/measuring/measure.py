"""Answers drawn, scored and recorded, a prompt at a time, so that an evaluation that was stopped goes on."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from gpocli.contracts.filter_call import Candidate
from gpocli.data import ROW_KEY, Rows
from gpocli.errors import SpecError
from gpocli.evaluation.folder import EvaluationFolder
from gpocli.measuring.plan import Plan
from gpocli.runs.records import CandidateRecord

if TYPE_CHECKING:
    from gpocli.asking.answers import Answer
    from gpocli.asking.model import AskedModel
    from gpocli.asking.source import Asked
    from gpocli.evaluation.figures import Estimate
    from gpocli.evaluation.recorded import Graded

Load = Callable[["Asked"], "AskedModel"]
Tell = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Measured:
    """An evaluation that is done: what was asked, where it is recorded, and its graded answers with their figures."""

    plan: Plan
    path: Path
    graded: "Graded"
    figures: "dict[str, Estimate]"


def measure(plan: Plan, load: Load, tell: Tell, parent: Path | None = None) -> Measured:
    """Draw, score and record what is not recorded yet; the model is loaded for that alone.

    `tell` is told how many prompts are recorded. Raises `SpecError`, `EnvironmentFault` and `PluginError`; what is
    recorded stays.
    """
    from gpocli.evaluation.figures import estimates
    from gpocli.evaluation.recorded import as_json, graded

    folder = EvaluationFolder(plan.folder(parent), plan.facts() | {"began": _now()})
    try:
        recorded = folder.recorded
        if len(recorded) < len(plan.rows):
            _draw(plan, load(plan.asked), folder, recorded, tell)
        found = graded(folder.candidates_path, plan.rewards.right)
        if not found.numbers:
            raise SpecError(f"reward '{plan.rewards.right}' applies to no answer; name what tells right ones: --right")
        figures = estimates(found.answers, seed=plan.seed)
        told = {"state": "done", "right": plan.rewards.right, "graded": len(found.numbers), "figures": as_json(figures)}
        if any(folder.facts.get(name) != value for name, value in told.items()):
            folder.tell(**told, ended=_now())
    finally:
        folder.close()
    return Measured(plan, folder.path, found, figures)


def _draw(plan: Plan, model: "AskedModel", folder: EvaluationFolder, recorded: set[int], tell: Tell) -> None:
    is_chat = model.is_chat if plan.chat is None else plan.chat
    made = model.prompts(plan.rows, chat=is_chat and model.has_template)
    first = next(number for number in range(len(made)) if number not in recorded)
    tell(len(recorded))
    waiting: dict[int, list[Answer]] = {}
    for answers in model.answers(made, plan.samples, plan.seed, first=first):
        for one in answers:
            if one.prompt not in recorded:
                waiting.setdefault(one.prompt, []).append(one)
        whole = [waiting.pop(number) for number in list(waiting) if len(waiting[number]) == plan.samples]
        for records in _scored(plan, made, whole):
            folder.append(records)
            recorded.add(records[0].step)
        tell(len(recorded))


def _scored(plan: Plan, made: Rows, answers_PN: "list[list[Answer]]") -> Iterator[list[CandidateRecord]]:
    """The records of the answers to some prompts, which rewards are asked about at once."""
    state = SimpleNamespace(global_step=0, max_steps=0, epoch=0.0)
    asked = [_candidate(plan, made, one) for answers in answers_PN for one in answers]
    paid = iter(plan.rewards.pay.ask(asked, state))
    for answers in answers_PN:
        yield [_record(made, one, next(paid)) for one in answers]


def _candidate(plan: Plan, made: Rows, one: "Answer") -> Candidate:
    prompt: Any = made[one.prompt]["prompt"]
    completion = [{"role": "assistant", "content": one.text}] if isinstance(prompt, list) else one.text
    row = plan.rows[one.prompt] | {"prompt": prompt, ROW_KEY: plan.rows.lines[one.prompt]}
    return Candidate(row, prompt, completion, one.ids, one.ended, group=one.prompt)


def _record(made: Rows, one: "Answer", paid: Candidate) -> CandidateRecord:
    prompt: Any = made[one.prompt]["prompt"]
    text = prompt if isinstance(prompt, str) else "\n".join(str(message.get("content", "")) for message in prompt)
    return CandidateRecord(
        step=one.prompt,
        prompt_id=made.lines[one.prompt],
        group=one.prompt,
        candidate=one.candidate,
        prompt=text,
        completion=one.text,
        tokens=list(one.ids),
        length=one.tokens,
        finished=one.ended,
        rewards=dict(paid.rewards or {}),
        reward=paid.reward,
        filter_score=None,
        kept=True,
        outcome="kept",
        advantage=None,
    )


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
