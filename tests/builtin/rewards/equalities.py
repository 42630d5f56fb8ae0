r"""What equals what for the reward `accuracy`: the table of docs/maths.md, and the cases of its tests.

`python -m tests.builtin.rewards.equalities` prints the table for the page.
"""

from typing import NamedTuple


class Pair(NamedTuple):
    gold: str
    equal: tuple[str, ...]
    different: tuple[str, ...]
    note: str


PAIRS = [
    Pair("1250", ("1,250", "$1,250", "1 250", "1250.00", "1.25e3", r"1.25 \times 10^3", r"1{,}250"), ("1.250", "1,25"),
         "a comma or space parts thousands and is never a decimal mark"),
    Pair("-1250.5", ("-1,250.50", "-$1,250.50", "- 1250.5", "−1250.5", "minus 1250.5"), ("1250.5", "(1250.5)"),
         "signs and money; brackets are no sign"),
    Pair("-4", ("-4", "- 4"), ("4", "(4)"), ""),
    Pair("3/8", (".375", "0.375", r"\frac{3}{8}", r"\dfrac38", "6/16"), ("3", "0.38"), "exact, no rounding"),
    Pair("100/3", (r"33\frac{1}{3}", "33 1/3", r"33.\overline{3}"), ("33.3", "33.333333333"), ""),
    Pair("1 1/2", ("1.5", "3/2", r"1\frac{1}{2}"), ("1", "11/2"), "a whole number and a fraction are added"),
    Pair("0.1", ("1/10",), ("0.10000001",), ""),
    Pair("7", ("007", "7.0", "7.", "+7", "x = 7", "3 + 4 = 7"), ("8", "x > 7", "7, 8"),
         "what is named, or added up, is its last side"),
    Pair("58", ("**58**", "`58`", "58.", "58 apples", "about 58 %", r"58^\circ"), ("58 million", "58x"),
         "a unit may be left out on either side"),
    Pair("5 cm", ("5", r"5\text{ cm}", "5 centimeters"), ("5 m", "5 cm^2", "0.05 m"), "units are not converted"),
    Pair("50%", ("50", "50 percent"), ("0.5", "1/2"), "percent is a unit"),
    Pair("0.5", ("1/2", "0.50"), ("50%", "50"), ""),
    Pair(r"\$18.90", ("18.9", "18.90 dollars"), ("€18.90",), ""),
    Pair("x+1", ("1+x", "(2x+2)/2"), ("x-1", "y+1"), "expressions by algebra"),
    Pair(r"\frac{\sqrt{2}}{2}", (r"\frac{1}{\sqrt2}", "sqrt(2)/2", "2^{-0.5}"), ("0.7071067811865476",), ""),
    Pair(r"1/3^{50}", (r"3^{-50}",), (r"1/3^{49}", "0"), "tiny numbers too"),
    Pair(r"1-1/\mathrm{e}", (r"1-e^{-1}",), (r"1+1/\mathrm{e}",), ""),
    Pair("2x+y=0", ("y+2x=0", "4x=-2y"), ("5x-3y=0", "0"), "equations up to a factor"),
    Pair("y=2x+3", ("2x+3", "y=3+2x", "2x-y+3=0"), ("x=2y+3", "2x"), ""),
    Pair("x>2", ("2<x", "2x>4"), ("x<2", r"x \ge 2", "2"), "inequalities with their direction"),
    Pair(r"\pm 9", ("9, -9", "-9, 9", r"\{-9, 9\}"), ("9", "-9"), "both signs"),
    Pair("1, 2", ("2, 1", "1 and 2", r"\{1, 2\}"), ("(1, 2)", "1", "1, 2, 3"), "lists and sets have no order"),
    Pair("(0, 2)", ("(0,2)", r"\left(0, 2\right)"), ("(2, 0)", "(0, 2.5)", "[0, 2]", "(0, 2, 2)", "0, 2"),
         "tuples and intervals do"),
    Pair(r"[1,2) \cup (3,4)", (r"(3,4) \cup [1,2)",), (r"[1,2] \cup (3,4)",), ""),
    Pair(r"\begin{pmatrix} 1 \\ 2 \end{pmatrix}", (r"\begin{bmatrix} 1 \\ 2 \end{bmatrix}",),
         (r"\begin{pmatrix} 1 & 2 \end{pmatrix}", "(1, 2)"), ""),
    Pair("52_8", ("52_{8}",), ("52", "42", "52_9"), "a base is part of the answer"),
    Pair("10:30", ("10:30",), ("10", "1/3", "10:31"), "times, ratios and dates are text"),
    Pair("2024-05-01", ("2024-05-01",), ("2018",), ""),
    Pair(r"\text{(C)}", ("C", "(C)", "C."), ("D", "c"), "choices keep their case"),
    Pair(r"\text{Evelyn}", ("Evelyn", "evelyn."), ("Evelyne",), "words do not"),
]  # fmt: skip


def table() -> str:
    lines = ["| gold answer | equal | not equal | |", "| --- | --- | --- | --- |"]
    lines += [
        f"| {_code(pair.gold)} | {_codes(pair.equal)} | {_codes(pair.different)} | {pair.note} |" for pair in PAIRS
    ]
    return "\n".join(lines) + "\n"


def _codes(texts: tuple[str, ...]) -> str:
    return ", ".join(map(_code, texts))


def _code(text: str) -> str:
    return f"`` {text} ``" if "`" in text else f"`{text}`"


if __name__ == "__main__":
    print(table())  # noqa: T201
