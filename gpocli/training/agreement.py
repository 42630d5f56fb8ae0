"""All processes of a run are about to train the same: what each of them has, and which one differs."""

import json
import platform
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from gpocli.checks.preflight import Preflight
from gpocli.errors import EnvironmentFault, GpoError, SpecError, ToldElsewhere, everywhere
from gpocli.training.company import Company

_PACKAGES = ("gpocli", "torch", "transformers", "trl")


@dataclass(frozen=True, slots=True)
class Statement:
    """What one process is about to train; `fault` is its exit code and why it cannot, None when it can."""

    host: str
    rank: int
    versions: Mapping[str, str]
    spec: Mapping[str, Any]
    sources: Mapping[str, str]
    fault: tuple[int, str] | None = None

    @property
    def place(self) -> str:
        """`host 'a', process 1`."""
        return place(self.host, self.rank)


def place(host: str, rank: int) -> str:
    """How messages name a process."""
    return f"host '{host}', process {rank}"


def agree(company: Company, checked: Preflight | GpoError, patience: float) -> None:
    """Compare what all processes have. Raises in all of them: the fault of one that has one, or what differs."""
    if company.store is None:
        return
    fault, ready = (None, checked) if isinstance(checked, Preflight) else ((checked.exit_code, str(checked)), None)
    own = Statement(
        company.host,
        company.rank,
        versions(),
        {} if ready is None else flat(ready.spec.model_dump(mode="json")),
        {} if ready is None else ready.sources,
        fault,
    )
    told = company.all_say("statement", json.dumps(asdict(own)), patience)
    if error := disagreement([Statement(**json.loads(one)) for one in told]):
        raise everywhere(error, is_main=company.is_main)


def versions() -> dict[str, str]:
    """The versions of what trains."""
    found = {"python": platform.python_version()}
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "missing"
    return found


def disagreement(statements: Sequence[Statement]) -> GpoError | None:
    """Why these processes cannot train together, None when they can."""
    if faulty := [one for one in statements if one.fault is not None]:
        return _fault(faulty, len(statements))
    kinds: tuple[tuple[str, str, type[GpoError]], ...] = (
        ("the version of ", "versions", EnvironmentFault),
        ("", "spec", SpecError),
        ("the content of ", "sources", SpecError),
    )
    for noun, field, kind in kinds:
        if text := _difference(noun, statements, [getattr(one, field) for one in statements]):
            return kind(text)
    return None


def _fault(faulty: Sequence[Statement], count: int) -> GpoError:
    first = faulty[0]
    code, text = first.fault or (1, "")
    is_common = len(faulty) == count and all(one.fault == first.fault for one in faulty)
    return ToldElsewhere(code, text if is_common else f"{first.place}: {text}")


def _difference(noun: str, statements: Sequence[Statement], values: Sequence[Mapping[str, Any]]) -> str | None:
    """The first thing that is not the same in all, and who has it otherwise than most."""
    for name in sorted({name for one in values for name in one}):
        shown = [json.dumps(one.get(name)).strip('"') for one in values]
        usual = Counter(shown).most_common(1)[0][0]  # of equally many, what comes first
        others = [number for number, one in enumerate(shown) if one != usual]
        if others:
            odd = others[0]
            more = f" (and {len(others) - 1} more)" if len(others) > 1 else ""
            return (
                f"{statements[odd].place}{more} would train something else: {noun}{name} is {shown[odd][:80]} there, "
                f"{usual[:80]} elsewhere; make them the same on all hosts"
            )
    return None


def flat(spec: Mapping[str, Any], above: str = "") -> dict[str, Any]:
    """The settings of a spec by their dotted paths, without the run directory, which the main process decides."""
    found: dict[str, Any] = {}
    for name, value in spec.items():
        path = f"{above}{name}"
        if isinstance(value, Mapping) and value:
            found |= flat(value, f"{path}.")
        elif path != "run.dir":
            found[path] = value
    return found
