"""How an evaluation is shown."""

from typing import TYPE_CHECKING

from gpocli.cli.console import plain_table, print_lines, print_table
from gpocli.errors import counted

if TYPE_CHECKING:
    from gpocli.evaluation.figures import Estimate
    from gpocli.measuring.measure import Measured
    from gpocli.measuring.result import Result

_OF_PARTS = ("accuracy", "mean_length", "tokens_per_right", "cut")
_WORDS = {
    "mean_length": "mean length",
    "median_length": "median length",
    "length_90": "90 % length",
    "tokens_per_right": "tokens a right answer",
}


def lines(found: "Result") -> None:
    """Print an evaluation: what was asked, the figures, those beside another model, and those by columns."""
    print_lines(*heading(found.main))
    print_lines("")
    if found.against is None:
        rows = [[_word(name), *_cells(name, one)] for name, one in found.main.figures.items()]
        print_table(plain_table(["figure", "value", "95 % interval"], rows, right=("value",)))
    else:
        _print_beside(found, found.against)
    for column, parts in found.by.items():
        cells = [
            [value, str(part.prompts), *(_whole(name, part.figures[name]) for name in _OF_PARTS)]
            for value, part in parts.items()
        ]
        print_lines("")
        print_table(plain_table([column, "prompts", *map(_word, _OF_PARTS)], cells, right=("prompts",)))
    print_lines("", f"recorded in {found.main.path}")


def heading(main: "Measured") -> list[str]:
    """Who answered what how often, what tells what is right, and how many prompts nobody could grade."""
    plan, graded = main.plan, main.graded
    asked = f"{plan.asked.name} on {counted(len(plan.rows), 'prompt')} of {plan.data.source}"
    told = [f"{asked}, {counted(plan.samples, 'answer')} each; right: {plan.rewards.right} above a half"]
    if graded.ungraded:
        count = counted(len(graded.ungraded), "prompt")
        told.append(f"left out: {count}, of which '{plan.rewards.right}' grades no answer")
    return told


def _print_beside(found: "Result", other: "Measured") -> None:
    ours, theirs = found.main.plan.asked.name, other.plan.asked.name
    rows = [
        [_word(name), _cells(name, one)[0], _cells(name, other.figures[name])[0], _whole(name, difference, sign="+")]
        for name, one in found.main.figures.items()
        if (difference := found.differences.get(name)) is not None
    ]
    headers = ["figure", ours, theirs if theirs != ours else f"{theirs} ", "difference (95 % interval)"]
    print_table(plain_table(headers, rows, right=headers[1:3]))
    print_lines("", f"differences on {counted(found.shared, 'prompt')} that both answered, with the same seeds")
    if found.excess is not None and found.grpo is not None:
        share = _whole("share", found.excess)
        print_lines(f"excess length reduction: {share} of what {found.grpo.plan.asked.name} adds to {theirs}")


def _cells(name: str, one: "Estimate") -> list[str]:
    style = _style(name)
    return [_number(one.value, style), f"{_number(one.low, style)} to {_number(one.high, style)}"]


def _whole(name: str, one: "Estimate", *, sign: str = "") -> str:
    style = sign + _style(name)
    value, low, high = (_number(number, style) for number in (one.value, one.low, one.high))
    return f"{value} ({low} to {high})"


def _style(name: str) -> str:
    return ".1f" if "length" in name or name == "tokens_per_right" else ".3f"


def _number(value: float, style: str) -> str:
    return "-" if value != value else format(value, style)


def _word(name: str) -> str:
    return _WORDS.get(name, name)
