"""No group tells one completion from another, so nothing is learned."""

from pydantic import Field

from gpocli.contracts.guard import Figures, InARow, Window, told
from gpocli.extensions import GuardExtension


class NoSignalOptions(Window):
    """Options of `no_signal`."""

    window: int = Field(default=20, ge=1)
    """Steps in a row for which it is so; those that train on an earlier generation batch do not count."""


class NoSignal(InARow):
    """Looks at `frac_reward_zero_std`, the share of groups whose completions all have one reward."""

    def is_bad(self, figures: Figures) -> bool | None:
        flat = told(figures, "frac_reward_zero_std")
        return None if flat is None else flat >= 1

    def alarm(self, figures: Figures) -> tuple[str, str]:
        reward, wrong, right = (told(figures, name) for name in ("reward", "groups/all_wrong", "groups/all_right"))
        text = "every group was flat (frac_reward_zero_std 1), so every advantage was 0,"
        if wrong is not None and right is not None:
            text = f"every group was flat, {wrong:.0%} all wrong and {right:.0%} all right, so every advantage was 0,"
        cure = "use prompts that are neither too easy nor too hard, or a reward that tells completions apart"
        return text, cure if reward is None else f"the reward is {reward:.3g} on average: {cure}"


EXTENSION = GuardExtension(
    name="no_signal",
    build=NoSignal,
    summary="all groups are flat, so nothing can be learned",
    options=NoSignalOptions,
)
