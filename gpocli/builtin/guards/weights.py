"""Weights are no numbers after an update: the run has diverged, and nothing that follows means anything."""

from gpocli.contracts.guard import Alarm, Figures
from gpocli.extensions import GuardExtension, NoOptions


class Weights:
    """Gives an alarm as soon as a trained weight is NaN or infinite."""

    def __init__(self, options: NoOptions) -> None:
        pass

    def check(self, figures: Figures) -> Alarm | None:
        """Look at what is told of the weights, which is something only where they are no numbers."""
        if not figures.get("weights/not_finite"):
            return None
        return Alarm("trained weights are NaN or infinite after the update", "lower optim.learning_rate", lines=0)


EXTENSION = GuardExtension(
    name="weights",
    build=Weights,
    summary="a trained weight is NaN or infinite after an update",
    action="stop_and_restore",
)
