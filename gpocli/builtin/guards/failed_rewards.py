"""Calls of a reward fail too often for the rest to say what the policy is paid for."""

from pydantic import Field

from gpocli.contracts.guard import Alarm, Figures, Window, of_rewards
from gpocli.extensions import GuardExtension


class FailedRewardsOptions(Window):
    """Options of `failed_rewards`."""

    window: int = Field(default=5, ge=1)
    """Steps in a row for which it is so."""
    bound: float = Field(default=0.5, ge=0, lt=1)
    """The largest share of calls that may fail; 0: none."""


class FailedRewards:
    """Looks at `rewards/NAME/failed`, which rewards have that may fail (`on_error`), each by itself."""

    def __init__(self, options: FailedRewardsOptions) -> None:
        self.options = options
        self.steps: dict[str, int] = {}

    def check(self, figures: Figures) -> Alarm | None:
        for name, share in of_rewards(figures, "failed").items():
            steps = self.steps[name] = self.steps.get(name, 0) + 1 if share > self.options.bound else 0
            if steps >= self.options.window:
                text = f"rewards/{name}/failed is {share:.3g}, above {self.options.bound:g} in {steps} steps in a row"
                return Alarm(text, f"see the notes on why the reward '{name}' failed, and mend it", steps)
        return None


EXTENSION = GuardExtension(
    name="failed_rewards",
    build=FailedRewards,
    summary="calls of a reward fail too often",
    options=FailedRewardsOptions,
)
