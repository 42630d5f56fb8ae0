"""The layers of a run's spec: the embedded default, a preset, and what the user gave."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from gpocli.embedded import DEFAULTS_PATH, EMBEDDED
from gpocli.errors import SpecError
from gpocli.presets import preset_path
from gpocli.spec.fault import Fault
from gpocli.spec.layer import Assignment, Layer, Place
from gpocli.spec.load import Draft, LoadedSpec, draft_spec
from gpocli.spec.read_file import read_layer

_UNLESS_SAID = Layer("default", {"algorithm": {"type": "gfpo"}})


@dataclass(frozen=True, slots=True)
class SpecSources:
    """What a run spec is made of, from the lowest layer to the highest: the name of a preset, spec files, variables
    (`os.environ` on the command line), `--set` texts, and the values of flags."""

    files: Sequence[Path] = ()
    overrides: Sequence[str] = ()
    flags: Sequence[Assignment] = ()
    preset: str | None = None
    environment: Mapping[str, str] | None = None


def load_run_spec(sources: SpecSources) -> LoadedSpec:
    """The spec with the defaults of the embedded model below it, if the run uses that model.

    Raises `SpecError` with all faults.
    """
    return draft_run_spec(sources).loaded()


def draft_run_spec(sources: SpecSources) -> Draft:
    """As `load_run_spec`, faults and all."""
    preset = None
    if sources.preset is not None:
        try:
            preset = _base_layer(preset_path(sources.preset), f"preset {sources.preset}")
        except SpecError as error:
            return Draft(None, {}, (Fault(Place("--preset"), "", str(error)),))
    draft = _draft(sources, [_UNLESS_SAID, embedded_layer(), *([preset] if preset else [])])
    if draft.spec is not None and draft.spec.model.name != EMBEDDED:
        draft = _draft(sources, [_UNLESS_SAID, *([preset] if preset else [])])
    if preset is None or draft.spec is None or not draft.is_sound("algorithm.type"):
        return draft
    return _with_fault_of_preset(draft, sources.preset or "", preset.data["algorithm"]["type"])


def _draft(sources: SpecSources, base: Sequence[Layer]) -> Draft:
    return draft_spec(sources.files, sources.overrides, sources.flags, base, sources.environment)


@cache
def embedded_layer() -> Layer:
    """What a run on the embedded model gets where nothing else is said."""
    return _base_layer(DEFAULTS_PATH, "embedded default")


def _base_layer(path: Path, name: str) -> Layer:
    faults: list[Fault] = []
    layer = read_layer(path, faults, name=name)
    assert layer is not None
    assert not faults
    return layer


def _with_fault_of_preset(draft: Draft, name: str, algorithm: str) -> Draft:
    """A preset is for one algorithm; what it says about another would be left out without a word."""
    assert draft.spec is not None
    chosen = draft.spec.algorithm.type
    if chosen == algorithm:
        return draft
    fault = Fault(Place(f"--preset {name}"), "", f"sets up {algorithm}, but {chosen} is to train; see gpo presets list")
    return Draft(draft.spec, draft.places, (*draft.faults, fault), draft.doubtful, draft.sources)
