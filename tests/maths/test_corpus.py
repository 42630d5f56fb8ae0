"""Graded pairs of our own making, by class: no wrong answer is paid, and at most one right one in a hundred refused."""

import json
from collections import Counter
from pathlib import Path

from gpocli.builtin.rewards.accuracy import EXTENSION

CORPUS = Path(__file__).parent / "corpus"
ROWS = [
    (path.stem, json.loads(line))
    for path in sorted(CORPUS.glob("*.jsonl"))
    for line in path.read_text(encoding="utf-8").splitlines()
]
RIGHT = [row for _, row in ROWS if row["right"]]


def test_half_of_a_large_corpus_is_wrong():
    assert len(ROWS) >= 1000
    assert 0.4 < len(RIGHT) / len(ROWS) < 0.6
    assert all(share >= 60 for share in Counter(name for name, _ in ROWS).values())


def test_no_pair_stands_in_it_twice():
    assert len({(row["gold"], row["text"]) for _, row in ROWS}) == len(ROWS)


def test_wrong_answers_are_never_paid_and_right_ones_hardly_ever_refused():
    # More time than the default, so that a busy machine decides nothing.
    reward = EXTENSION.build(EXTENSION.options(batch_seconds=600.0))
    scores = reward(completions=[row["text"] for _, row in ROWS], answer=[row["gold"] for _, row in ROWS])
    wrongly_paid = [row for (_, row), score in zip(ROWS, scores, strict=True) if score != 0.0 and not row["right"]]
    wrongly_refused = [row for (_, row), score in zip(ROWS, scores, strict=True) if score != 1.0 and row["right"]]
    assert wrongly_paid == []
    assert len(wrongly_refused) <= 0.01 * len(RIGHT), wrongly_refused
