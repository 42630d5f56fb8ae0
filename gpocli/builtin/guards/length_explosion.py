"""Completions become many times as long as they were at the beginning."""

from pydantic import Field

from gpocli.contracts.guard import Alarm, Figures, Window, told
from gpocli.extensions import GuardExtension


class LengthExplosionOptions(Window):
    """Options of `length_explosion`."""

    window: int = Field(default=10, ge=1)
    """Steps whose mean is compared with that of the first as many."""
    bound: float = Field(default=8.0, gt=1)
    """How many times as long they may become."""


class LengthExplosion:
    """Looks at the mean length of the kept completions, or of all where no filter chooses."""

    def __init__(self, options: LengthExplosionOptions) -> None:
        self.options = options
        self.lengths: list[float] = []

    def check(self, figures: Figures) -> Alarm | None:
        length, window = told(figures, "kept/mean_length", "completions/mean_length"), self.options.window
        if length is None:
            return None
        self.lengths.append(length)
        first, last = (sum(some) / window for some in (self.lengths[:window], self.lengths[-window:]))
        if len(self.lengths) < 2 * window or last <= self.options.bound * first:
            return None
        text = f"completions have {last:.0f} tokens on average of {window} steps, {last / first:.1f} times as many as"
        cure = "add the reward overlong, or the filter length, if that is not what they are to learn"
        return Alarm(f"{text} at first, above {self.options.bound:g} times", cure, window)


EXTENSION = GuardExtension(
    name="length_explosion",
    build=LengthExplosion,
    summary="completions become many times as long",
    options=LengthExplosionOptions,
    action="warn",
)
