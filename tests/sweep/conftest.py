"""A small sweep on the embedded model, planned and not run."""

from collections.abc import Callable

import pytest

from gpocli.spec.layer import Assignment, Place
from gpocli.spec.sources import SpecSources
from gpocli.sweep.plan import PlannedRun, plan_sweep


@pytest.fixture
def plan(tmp_path, monkeypatch) -> Callable[..., list[PlannedRun]]:
    """`plan(*grid, seeds=None, text=..., out=None)` in a folder of its own."""
    monkeypatch.chdir(tmp_path)

    def make(*grid, seeds=None, text="run: {steps: 2}\n", out=None):
        (tmp_path / "s.yaml").write_text(text)
        flags = [] if out is None else [Assignment("run.dir", out, Place("--out"))]
        return plan_sweep(SpecSources([tmp_path / "s.yaml"], flags=flags), grid, seeds)

    return make
