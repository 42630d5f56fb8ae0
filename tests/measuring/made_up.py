"""An evaluation of twenty prompts that is recorded already, small enough to count by hand."""

from pathlib import Path

from gpocli.asking.source import find_asked
from gpocli.measuring.plan import Plan, make_plan
from gpocli.measuring.prompts import Wanted
from gpocli.runs.records import CandidateRecord, CandidateWriter

PROMPTS = 20


def write_data(path: Path) -> str:
    """Twenty sums with their answers; those of the first ten are easy, the others hard."""
    rows = [f'{{"prompt": "{n}+1=?", "answer": "{n + 1}", "level": "{10 if n > 9 else 2}"}}' for n in range(PROMPTS)]
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return str(path)


def plan_of(data: str, model: str = "embedded", samples: int = 2, **more: object) -> Plan:
    """Two answers to each of these prompts."""
    return make_plan(find_asked(model), Wanted(data), ("accuracy",), None, samples=samples, seed=0, **more)


def record(folder: Path, *, longer: int = 0, ungraded: int | None = None) -> None:
    """Answers as if a model had given them, two to each prompt, `longer` by so many tokens.

    Prompts 0 to 4: both right, 10 and 20 tokens. 5 to 14: the first right, 30 and 40 tokens. 15 to 19: both wrong, 50
    tokens and 100, the second cut. Of prompt `ungraded` no answer can be graded.
    """
    write = CandidateWriter(folder / "candidates")
    for prompt in range(PROMPTS):
        kind = 0 if prompt < 5 else 1 if prompt < 15 else 2
        lengths, right = [(10, 20), (30, 40), (50, 100)][kind], [(1.0, 1.0), (1.0, 0.0), (0.0, 0.0)][kind]
        write([_answer(prompt, n, lengths[n] + longer, None if prompt == ungraded else right[n]) for n in (0, 1)])


def _answer(prompt: int, number: int, length: int, reward: float | None) -> CandidateRecord:
    return CandidateRecord(
        step=prompt,
        prompt_id=prompt + 1,
        group=prompt,
        candidate=number,
        prompt=f"{prompt}+1=?",
        completion="a",
        tokens=[1] * length,
        length=length,
        finished=length < 100,
        rewards={"accuracy": reward},
        reward=reward,
        filter_score=None,
        kept=True,
        outcome="kept",
        advantage=None,
    )
