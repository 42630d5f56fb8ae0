"""gpo's `accuracy` beside math-verify and TRL's `accuracy_reward`, on the graded pairs of tests/maths/corpus.

`python -m benchmarks.graders` prints the table of docs/maths.md. The others get the gold answer between `$`, as they
want it. Where one has no verdict, it counts as not paid.
"""

import json
import logging
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

CORPUS = Path(__file__).parents[1] / "tests" / "maths" / "corpus"

Pair = dict[str, Any]
Grader = Callable[[list[Pair]], list[bool]]


def pairs() -> list[Pair]:
    """All pairs: `gold`, `text` and whether it is `right`."""
    files = sorted(CORPUS.glob("*.jsonl"))
    return [json.loads(line) for file in files for line in file.read_text(encoding="utf-8").splitlines()]


def by_gpo(rows: list[Pair]) -> list[bool]:
    """Paid by `accuracy`."""
    from gpocli.builtin.rewards.accuracy import EXTENSION

    reward = EXTENSION.build(EXTENSION.options(batch_seconds=600.0))
    scores = reward(completions=[row["text"] for row in rows], answer=[row["gold"] for row in rows])
    return [score == 1.0 for score in scores]


def by_math_verify(rows: list[Pair]) -> list[bool]:
    """Paid by math-verify with its defaults."""
    from math_verify import parse, verify

    return [bool(verify(parse(f"${row['gold']}$"), parse(row["text"]))) for row in rows]


def by_trl(rows: list[Pair]) -> list[bool]:
    """Paid by TRL's `accuracy_reward`."""
    from trl.rewards import accuracy_reward

    completions = [[{"role": "assistant", "content": row["text"]}] for row in rows]
    scores = accuracy_reward(completions=completions, solution=[f"${row['gold']}$" for row in rows])
    return [score == 1.0 for score in scores]


def line(name: str, grader: Grader, rows: list[Pair]) -> str:
    """The row of the table of one grader."""
    grader([{"gold": "1", "text": r"\boxed{\frac{2}{2}}"}])  # what it loads first is not counted
    start = time.perf_counter()
    paid = grader(rows)
    seconds = time.perf_counter() - start
    verdicts = list(zip(paid, (row["right"] for row in rows), strict=True))
    right = sum(one == is_right for one, is_right in verdicts)
    refused, wrongly = verdicts.count((False, True)), verdicts.count((True, False))
    return f"| {name} | {right} | {refused} | {wrongly} | {len(rows) / seconds:,.0f} |"


def main() -> None:
    """Print the table."""
    logging.disable(logging.CRITICAL)
    rows = pairs()
    print(f"{len(rows)} pairs, {sum(row['right'] for row in rows)} of them right\n")
    print("| grader | as graded | wrongly refused | wrongly paid | rows a second |\n| --- | --- | --- | --- | --- |")
    for name, grader in (
        ("gpo `accuracy`", by_gpo),
        ("math-verify", by_math_verify),
        ("TRL `accuracy_reward`", by_trl),
    ):
        print(line(name, grader, rows), flush=True)


if __name__ == "__main__":
    main()
