"""A folder with a spec, and what looking at it finds."""

from collections.abc import Callable

import pytest

from gpocli.checks.findings import Findings
from gpocli.checks.preflight import examine
from gpocli.spec.load import Draft
from gpocli.spec.sources import SpecSources, draft_run_spec


@pytest.fixture
def draft(tmp_path, monkeypatch) -> Callable[..., Draft]:
    """The draft of a spec text in the working folder."""
    monkeypatch.chdir(tmp_path)

    def draft_text(text, *overrides):
        (tmp_path / "run.yaml").write_text(text)
        return draft_run_spec(SpecSources(["run.yaml"], overrides))

    return draft_text


@pytest.fixture
def look(draft) -> Callable[..., list[str]]:
    """The lines of all faults of a spec text."""
    return lambda text, *overrides, processes=1: [
        str(fault) for fault in examine(draft(text, *overrides), processes).faults
    ]


@pytest.fixture
def found_by(draft) -> Callable[..., list[str]]:
    """The lines of the faults that one check finds in a spec text."""

    def lines(check, text, *arguments):
        findings = Findings(draft(text))
        check(findings, *arguments)
        return [str(fault) for fault in findings.faults]

    return lines
