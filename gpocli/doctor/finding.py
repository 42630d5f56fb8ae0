"""One line of the doctor."""

from dataclasses import dataclass
from typing import Literal

State = Literal["ok", "warn", "problem"]


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found about a `topic`. `cure` says what to do about a warning or problem."""

    topic: str
    state: State
    text: str
    cure: str | None = None

    def __post_init__(self) -> None:
        assert self.state == "ok" or self.cure, "a warning or problem without a cure helps nobody"
