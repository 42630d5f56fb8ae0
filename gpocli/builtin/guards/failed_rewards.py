"""Calls of a reward fail too often for the rest to say what the policy is paid for."""

from pydantic import Field

from gpocli.contracts.guard import Figures, InARow, Window, of_rewards
from gpocli.extensions import GuardExtension


class FailedRewardsOptions(Window):
    """Options of `failed_rewards`."""

    window: int = Field(default=5, ge=1)
    """Steps in a row for which it is so."""
    bound: float = Field(default=0.5, ge=0, lt=1)
    """The largest share of calls that may fail; 0: none."""


class FailedRewards(InARow):
    """Looks at `rewards/NAME/failed`, which rewards have that may fail (`on_error`)."""

    def is_bad(self, figures: Figures) -> bool | None:
        shares = of_rewards(figures, "failed").values()
        return max(shares) > self.options.bound if shares else None

    def alarm(self, figures: Figures) -> tuple[str, str]:
        failed = of_rewards(figures, "failed")
        name = max(failed, key=failed.__getitem__)
        text = f"rewards/{name}/failed is {failed[name]:.3g}, above {self.options.bound:g}"
        return text, f"see the notes on why the reward '{name}' failed, and mend it"


EXTENSION = GuardExtension(
    name="failed_rewards",
    build=FailedRewards,
    summary="calls of a reward fail too often",
    options=FailedRewardsOptions,
)
