"""One-step word problems with a whole number as answer, of which a small real model gets about one in four."""

import random
from typing import Any

NAMES = ("Tom", "Ana", "Lee", "Mia", "Sam", "Zoe", "Ravi", "Kim", "Omar", "Eva")
THINGS = ("apples", "pens", "books", "coins", "cards", "shells", "stamps", "marbles")


def word_problems(count: int, seed: int = 7) -> list[dict[str, Any]]:
    """`count` different problems as chat prompts with their `answer`, the same for the same seed."""
    draw, seen, rows = random.Random(seed), set(), []
    while len(rows) < count:
        question, answer = _problem(draw)
        if question not in seen:
            seen.add(question)
            rows.append({"prompt": [{"role": "user", "content": question}], "answer": str(answer)})
    return rows


def _problem(draw: random.Random) -> tuple[str, int]:
    one, other = draw.sample(NAMES, 2)
    things, kind = draw.choice(THINGS), draw.randrange(6)
    a, b, c = draw.randint(2, 20), draw.randint(2, 20), draw.randint(2, 9)
    most, few = max(a, b) + c, min(b, c)
    together = f"{one} has {a} {things}. {other} has {c} more {things} than {one}."
    return (
        (f"{one} has {a} {things} and buys {b} more. How many {things} does {one} have now?", a + b),
        (f"{one} has {most} {things} and gives {b} of them to {other}. How many {things} are left?", most - b),
        (f"{one} has {c} boxes with {b} {things} in each. How many {things} does {one} have in all?", c * b),
        (f"{together} How many {things} do they have together?", 2 * a + c),
        (f"{one} buys {c} packs of {b} {things} and loses {few} of them. How many {things} are left?", c * b - few),
        (f"{one} reads {b} pages each day for {c} days. How many pages does {one} read?", b * c),
    )[kind]
