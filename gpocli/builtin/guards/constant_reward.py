"""One of several rewards has the same value for every completion of the run: it teaches nothing."""

from pydantic import Field

from gpocli.contracts.guard import Alarm, Figures, Window, of_rewards
from gpocli.extensions import GuardExtension

_SAME = 1e-8


class ConstantRewardOptions(Window):
    """Options of `constant_reward`."""

    window: int = Field(default=20, ge=1)
    """Steps from the beginning of the run for which it is so."""


class ConstantReward:
    """Looks at mean and standard deviation of each reward; one that varied once is heard of no more."""

    def __init__(self, options: ConstantRewardOptions) -> None:
        self.options = options
        self.values: dict[str, set[float | None]] = {}
        self.varied: set[str] = set()
        self.steps = 0

    def check(self, figures: Figures) -> Alarm | None:
        means, deviations = of_rewards(figures, "mean"), of_rewards(figures, "std")
        self.steps += bool(means)
        for name, mean in means.items():
            seen = self.values.setdefault(name, set())
            seen.add(None if mean is None else round(mean, 8))
            if len(seen - {None}) > 1 or (deviations.get(name) or 0.0) > _SAME:
                self.varied.add(name)
        constant = [name for name in means if name not in self.varied]
        if self.steps < self.options.window or not constant or not self.varied:
            return None
        value = next((one for one in self.values[constant[0]] if one is not None), None)
        what = "applied to no completion" if value is None else f"was {value:g} for every completion"
        text = f"the reward '{constant[0]}' {what} of {self.steps} steps, while others vary"
        return Alarm(text, "check what it looks for, or leave it out", self.steps)


EXTENSION = GuardExtension(
    name="constant_reward",
    build=ConstantReward,
    summary="one reward is the same for all completions while others vary",
    options=ConstantRewardOptions,
    action="warn",
)
