"""Did-you-mean: the names nearest to one that is not there."""

from collections.abc import Iterable
from difflib import get_close_matches


def did_you_mean(word: str, names: Iterable[str]) -> str:
    """`did you mean 'length'?`, or all names when none is near, or that there are none."""
    known = sorted(names)
    near = get_close_matches(word, known, n=2, cutoff=0.6)
    if near:
        return "did you mean " + " or ".join(f"'{name}'" for name in near) + "?"
    return f"there are: {', '.join(known)}" if known else "there are none"
