"""A run directory as a run leaves it, small enough to count by hand."""

from gpocli.runs.records import CandidateRecord, CandidateWriter
from gpocli.spec import RunSpec
from gpocli.spec.dump import dump_spec
from tests.cli.in_process import User


def write_run(user: User) -> None:
    """Write `data.jsonl` (two rows) and `out`: k = 2 of G = 4, two groups of two candidates, one of them lost."""
    user.write("data.jsonl", '{"prompt": "2+2=?", "answer": "4"}\n{"prompt": "3+4=?", "answer": "7"}\n')
    spec = RunSpec.model_validate(
        {
            "algorithm": {"type": "gfpo", "group_size": 4, "keep": 2},
            "data": {"source": "data.jsonl"},
            "rewards": [{"name": "length_penalty", "options": {"target_tokens": 1}}],
            "sampling": {"max_tokens": 4},
        }
    )
    user.write("out/spec.yaml", dump_spec(spec))
    CandidateWriter(user.folder / "out" / "candidates")(
        [
            _record(1, 0, "4", "kept"),
            _record(1, 1, "no", "rejected"),
            _record(2, 0, "777", "rejected"),
            _record(2, 1, "7", "lost"),
        ]
    )


def _record(line: int, candidate: int, text: str, outcome: str) -> CandidateRecord:
    """A completion with a token a character, of the data row that stands on `line`."""
    return CandidateRecord(
        step=1,
        prompt_id=line,
        group=line - 1,
        candidate=candidate,
        prompt="p",
        completion=text,
        tokens=list(range(len(text))),
        length=len(text),
        finished=True,
        rewards={"length_penalty": None if outcome == "lost" else 0.5},
        reward=None if outcome == "lost" else 0.5,
        filter_score=(-float(len(text)),),
        kept=outcome == "kept",
        outcome=outcome,
        advantage=None,
    )
