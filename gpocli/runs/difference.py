"""In what settings runs differ."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gpocli.runs.run import Run
from gpocli.runs.written_spec import flat_settings

_MISSING = None
_PLACES = ("run.name", "run.dir")
"""What differs between any two runs."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A setting by its dotted path, with its value in each run; None where a run does not have it."""

    setting: str
    values: list[Any]


def differences(runs: Sequence[Run]) -> list[Difference]:
    """The settings that are not the same in all runs, but for their folders. Raises SpecError."""
    specs = [flat_settings(run.settings) for run in runs]
    names = [name for name in dict.fromkeys(name for spec in specs for name in spec) if name not in _PLACES]
    rows = [Difference(name, [spec.get(name, _MISSING) for spec in specs]) for name in names]
    return [row for row in rows if any(value != row.values[0] for value in row.values)]
