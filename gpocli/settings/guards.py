"""What an entry of the `guards` section may ask for."""

from typing import Literal

GuardAction = Literal["warn", "stop", "stop_and_restore"]
"""What an alarm leads to: a line; a stop with a checkpoint; a stop with the last good checkpoint as what is left."""
