"""What evaluations come to: figures, the same by a column, beside another model, and the excess length left away."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from gpocli.columns import ColumnPath, read_path
from gpocli.errors import SpecError
from gpocli.evaluation.figures import Estimate, by_column, differences, estimates, excess_length
from gpocli.evaluation.recorded import as_json
from gpocli.measuring.measure import Measured

if TYPE_CHECKING:
    from gpocli.data import Rows


@dataclass(frozen=True, slots=True)
class Part:
    """The prompts for which a column has one value."""

    prompts: int
    figures: dict[str, Estimate]


@dataclass(frozen=True, slots=True)
class Result:
    """An evaluation and what it was compared with; `shared` prompts are graded of all models that were asked."""

    main: Measured
    against: Measured | None = None
    grpo: Measured | None = None
    shared: int = 0
    differences: dict[str, Estimate] = field(default_factory=dict)
    excess: Estimate | None = None
    by: dict[str, dict[str, Part]] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """The shape that docs/evaluation.md says."""
        facts = self.main.plan.facts()
        shown = {name: facts[name] for name in ("model", "step", "data", "samples", "seed", "sampling", "right")}
        return shown | {
            "folder": str(self.main.path),
            "graded": len(self.main.graded.numbers),
            "figures": as_json(self.main.figures),
            "by": {name: {value: _part(one) for value, one in parts.items()} for name, parts in self.by.items()},
            "against": None if self.against is None else self._against(self.against),
            "excess_length_reduction": None if self.grpo is None or self.excess is None else self._excess(self.grpo),
        }

    def _against(self, other: Measured) -> dict[str, Any]:
        return {
            "model": other.plan.asked.name,
            "folder": str(other.path),
            "prompts": self.shared,
            "figures": as_json(other.figures),
            "differences": as_json(self.differences),
        }

    def _excess(self, grpo: Measured) -> dict[str, Any]:
        assert self.excess is not None
        return {"grpo": grpo.plan.asked.name, "folder": str(grpo.path), **as_json({"": self.excess})[""]}


def _part(one: Part) -> dict[str, Any]:
    return {"prompts": one.prompts, "figures": as_json(one.figures)}


def result(
    main: Measured, against: Measured | None = None, grpo: Measured | None = None, by: Sequence[str] = ()
) -> Result:
    """Put together what was measured; differences and excess are of the prompts that are graded of all.

    `grpo` takes `against` for the model that both began with. Raises SpecError for a column that there is not.
    """
    seed = main.plan.seed
    others = [one for one in (against, grpo) if one is not None]
    shared = set(main.graded.numbers).intersection(*(one.graded.numbers for one in others))
    if others and not shared:
        raise SpecError("no prompt is graded of all models, so nothing can be compared")
    parts = {name: _by(main, name) for name in by}
    if against is None:
        return Result(main, by=parts)
    ours, theirs = main.graded.only(shared), against.graded.only(shared)
    excess = None if grpo is None else excess_length(grpo.graded.only(shared), ours, theirs, seed=seed)
    return Result(main, against, grpo, len(shared), differences(ours, theirs, seed=seed), excess, parts)


def column_of(rows: "Rows", name: str) -> ColumnPath:
    """The column, or the way into one, by which prompts are parted. Raises SpecError where there is none."""
    path = read_path(name, rows.columns)
    if path is None:
        raise SpecError(f"{rows.source}: no column '{name}' for --by; there are: {', '.join(rows.columns)}")
    return path


def _by(main: Measured, name: str) -> dict[str, Part]:
    path, rows = column_of(main.plan.rows, name), main.plan.rows
    values = [str(path.of(rows[number])) for number in main.graded.numbers]
    parts = by_column(main.graded.answers, values)
    return {
        value: Part(parts[value].prompts, estimates(parts[value], seed=main.plan.seed))
        for value in sorted(parts, key=_in_order)
    }


def _in_order(value: str) -> tuple[float, str]:
    """Numbers by what they are, and before texts."""
    try:
        return float(value), value
    except ValueError:
        return float("inf"), value
