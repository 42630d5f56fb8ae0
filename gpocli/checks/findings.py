"""Collecting faults at the places where the user wrote what they are about."""

from collections.abc import Iterator
from contextlib import contextmanager

from gpocli.contracts.options import OptionsError
from gpocli.errors import EnvironmentFault, GpoError, PluginError
from gpocli.spec import RunSpec
from gpocli.spec.fault import Fault, FaultKind, in_order
from gpocli.spec.layer import Place
from gpocli.spec.load import Draft


class Findings:
    """The faults of a draft so far, those of the draft itself included, and `notes` for the user."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.notes: list[str] = []
        self._faults = list(draft.faults)

    @property
    def spec(self) -> RunSpec:
        """The sound parts of the spec, with defaults for the others; see `are_sound`."""
        assert self.draft.spec is not None
        return self.draft.spec

    @property
    def faults(self) -> list[Fault]:
        """All faults by place: those of the spec first, then those of files that it names."""
        return in_order(self._faults, self.draft.sources)

    def are_sound(self, *paths: str) -> bool:
        """Whether the values at dotted `paths` are what the user meant, so that a check may rely on them."""
        return self.draft.is_sound(*paths)

    def add(self, path: str, text: str, kind: FaultKind = "spec", *, at: str | None = None) -> None:
        """Add a fault of the value at the dotted `path`, or of one that is not there because of what stands `at`."""
        self._faults.append(Fault(self.draft.place_of(at or path) or Place("run spec"), path, text, kind))

    def add_in_file(self, text: str, kind: FaultKind = "spec") -> None:
        """Add a fault whose text starts with its own place, as those of data files and plugins do."""
        place, colon, rest = text.partition(": ")
        self._faults.append(Fault(Place(place if colon else "plugins"), "", rest if colon else text, kind))

    @contextmanager
    def at(self, path: str) -> Iterator[None]:
        """Turn an error of the block into faults of the value at `path`."""
        try:
            yield
        except OptionsError as error:
            above = path.removesuffix(".name")  # options stand beside the name
            for problem in error.problems:
                self.add(".".join([above, "options", *map(str, problem.path)]), problem.text)
        except GpoError as error:
            self.add(path, str(error), kind_of(error))

    @contextmanager
    def in_file(self, source: str, path: str) -> Iterator[None]:
        """As `at`, for errors that may tell their place in the file `source` themselves."""
        try:
            yield
        except GpoError as error:
            if str(error).startswith(f"{source}:"):
                self.add_in_file(str(error), kind_of(error))
            else:
                self.add(path, str(error), kind_of(error))


def kind_of(error: GpoError) -> FaultKind:
    """Which exit code an error asks for."""
    if isinstance(error, PluginError):
        return "plugin"
    return "environment" if isinstance(error, EnvironmentFault) else "spec"
