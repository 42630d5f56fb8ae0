"""No reward applies to any completion: answers cannot be read, perhaps."""

from pydantic import Field

from gpocli.contracts.guard import Figures, InARow, Window
from gpocli.extensions import GuardExtension


class UnscoredOptions(Window):
    """Options of `unscored`."""

    window: int = Field(default=5, ge=1)
    """Steps in a row for which it is so."""


class Unscored(InARow):
    """Looks at `reward`, which is there but no number where no reward applied."""

    def is_bad(self, figures: Figures) -> bool | None:
        return figures["reward"] is None if "reward" in figures else None

    def alarm(self, figures: Figures) -> tuple[str, str]:
        cure = "see with gpo rewards test on your data why the rewards return None: gold answers that cannot be read?"
        return "no reward applied to any completion", cure


EXTENSION = GuardExtension(
    name="unscored",
    build=Unscored,
    summary="no reward applies to any completion; unreadable answers, perhaps",
    options=UnscoredOptions,
)
