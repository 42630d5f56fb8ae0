"""The policy always writes the same, and explores no more."""

from pydantic import Field

from gpocli.contracts.guard import Figures, InARow, Window, told
from gpocli.extensions import GuardExtension


class EntropyCollapseOptions(Window):
    """Options of `entropy_collapse`."""

    window: int = Field(default=20, ge=1)
    """Steps in a row for which it is so."""
    bound: float = Field(default=0.001, gt=0)
    """The smallest entropy of the policy, in nats a token."""


class EntropyCollapse(InARow):
    """Looks at `entropy`."""

    def is_bad(self, figures: Figures) -> bool | None:
        entropy = told(figures, "entropy")
        return None if entropy is None else entropy < self.options.bound

    def alarm(self, figures: Figures) -> tuple[str, str]:
        text = f"entropy is {told(figures, 'entropy'):.3g}, below {self.options.bound:g} nats a token,"
        return text, "lower optim.learning_rate, or raise algorithm.entropy_coef or the upper clip range"


EXTENSION = GuardExtension(
    name="entropy_collapse",
    build=EntropyCollapse,
    summary="the policy hardly explores any more",
    options=EntropyCollapseOptions,
    action="warn",
)
