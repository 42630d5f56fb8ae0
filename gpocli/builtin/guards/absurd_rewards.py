"""A reward has values beyond all measure, of which advantages without meaning are made."""

from pydantic import Field

from gpocli.builtin.options import Options
from gpocli.contracts.guard import Alarm, Figures, of_rewards
from gpocli.extensions import GuardExtension


class AbsurdRewardsOptions(Options):
    """Options of `absurd_rewards`."""

    bound: float = Field(default=1e6, gt=0)
    """The largest mean or standard deviation of a reward, by its size."""


class AbsurdRewards:
    """Looks at `rewards/NAME/mean` and `rewards/NAME/std` of every reward."""

    def __init__(self, options: AbsurdRewardsOptions) -> None:
        self.options = options

    def check(self, figures: Figures) -> Alarm | None:
        for figure in ("mean", "std"):
            for name, value in of_rewards(figures, figure).items():
                if value is not None and abs(value) > self.options.bound:
                    text = f"rewards/{name}/{figure} is {value:.3g}, beyond {self.options.bound:g}"
                    return Alarm(text, f"let the reward '{name}' return numbers of about 1")
        return None


EXTENSION = GuardExtension(
    name="absurd_rewards",
    build=AbsurdRewards,
    summary="a reward has values beyond all measure",
    options=AbsurdRewardsOptions,
)
