"""The loss or its gradient is no number, step after step."""

from pydantic import Field

from gpocli.contracts.guard import Figures, InARow, Window
from gpocli.extensions import GuardExtension


class NotFiniteOptions(Window):
    """Options of `not_finite`."""

    window: int = Field(default=3, ge=1)
    """Steps in a row for which it is so; 16-bit floats overflow in one now and then."""


class NotFinite(InARow):
    """Looks at `loss` and `grad_norm`, which are there but no number."""

    def is_bad(self, figures: Figures) -> bool | None:
        told = [name for name in ("loss", "grad_norm") if name in figures]
        return any(figures[name] is None for name in told) if told else None

    def alarm(self, figures: Figures) -> tuple[str, str]:
        names = " and ".join(name for name in ("loss", "grad_norm") if name in figures and figures[name] is None)
        return f"{names} NaN or infinite", "lower optim.learning_rate, or train in bfloat16 where it is float16"


EXTENSION = GuardExtension(
    name="not_finite",
    build=NotFinite,
    summary="the loss or the gradient is NaN or infinite",
    options=NotFiniteOptions,
    action="stop_and_restore",
)
