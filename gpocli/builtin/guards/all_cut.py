"""No completion comes to its end: all are cut at the limit of tokens."""

from pydantic import Field

from gpocli.contracts.guard import Figures, InARow, Window, told
from gpocli.extensions import GuardExtension


class AllCutOptions(Window):
    """Options of `all_cut`."""

    bound: float = Field(default=1.0, gt=0, le=1)
    """The share of cut completions from which on a step is bad; 1: all of them."""


class AllCut(InARow):
    """Looks at `completions/clipped_ratio`, or at its lower bound where a race went on."""

    def is_bad(self, figures: Figures) -> bool | None:
        share = told(figures, "completions/clipped_ratio", "completions/clipped_ratio_at_least")
        if share is not None and "completions/clipped_ratio" not in figures and share < self.options.bound:
            return None  # a bound from below, which says nothing of those that were lost
        return None if share is None else share >= self.options.bound

    def alarm(self, figures: Figures) -> tuple[str, str]:
        share = told(figures, "completions/clipped_ratio", "completions/clipped_ratio_at_least")
        text = "all completions were cut" if share == 1 else f"{share:.0%} of the completions were cut"
        return f"{text} at sampling.max_tokens", "raise it, or check that the model has an end token and writes it"


EXTENSION = GuardExtension(
    name="all_cut",
    build=AllCut,
    summary="all completions are cut at the limit of tokens",
    options=AllCutOptions,
)
