"""The policy has left its reference model behind."""

from pydantic import Field

from gpocli.contracts.guard import Figures, InARow, Window, told
from gpocli.extensions import GuardExtension


class KlExplosionOptions(Window):
    """Options of `kl_explosion`."""

    window: int = Field(default=5, ge=1)
    """Steps in a row for which it is so."""
    bound: float = Field(default=10.0, gt=0)
    """The largest divergence from the reference model, in nats a token."""


class KlExplosion(InARow):
    """Looks at `kl`, which runs with `algorithm.beta` above 0 have."""

    def is_bad(self, figures: Figures) -> bool | None:
        kl = told(figures, "kl")
        return None if kl is None else kl > self.options.bound

    def alarm(self, figures: Figures) -> tuple[str, str]:
        text = f"kl is {told(figures, 'kl'):.3g}, above {self.options.bound:g} nats a token,"
        return text, "lower optim.learning_rate, or raise algorithm.beta"


EXTENSION = GuardExtension(
    name="kl_explosion",
    build=KlExplosion,
    summary="the policy is far from its reference model",
    options=KlExplosionOptions,
    action="stop_and_restore",
)
