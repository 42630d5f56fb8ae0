"""Runs are found and told in one line each, whatever state they are in."""

import pytest

from gpocli.errors import SpecError
from gpocli.runs.listing import find_runs, last_figures, overview, show_size
from gpocli.runs.run import Run
from tests.runs.made_run import make_run


def test_runs_are_found_three_levels_deep(tmp_path):
    for path in ("b", "a", "sweep/x/deep", "sweep/x/y/z", "a/checkpoints/inner"):
        make_run(tmp_path / path)
    (tmp_path / "other").mkdir()
    found = [str(run.path.relative_to(tmp_path)) for run in find_runs([tmp_path, tmp_path / "a"])]
    assert found == ["a", "b", "sweep/x/deep"]


def test_no_folder_is_told(tmp_path):
    with pytest.raises(SpecError, match="no folder"):
        find_runs([tmp_path / "none"])


def test_a_line_has_the_last_figures(tmp_path):
    row = overview(Run(make_run(tmp_path / "a", steps=2, of=5, ended=False)))
    assert (row.name, row.state, row.algorithm, row.filters) == ("a", "interrupted", "gfpo", ["length"])
    assert (row.steps, row.of, row.reward, row.length) == (2, 5, 0.2, 8.0)
    assert row.size > 0
    assert row.changed is not None


def test_a_broken_run_has_a_line(tmp_path):
    path = make_run(tmp_path / "a")
    (path / "spec.yaml").unlink()
    row = overview(Run(path))
    assert (row.state, row.algorithm, row.steps, row.of) == ("broken", None, 2, None)


def test_steps_without_new_completions_tell_no_figures():
    lines = [{"step": 2, "kind": "train", "loss": 1.0}, {"step": 1, "kind": "train", "reward": 0.5}]
    assert last_figures(lines).reward == 0.5
    assert last_figures([]).reward is None


@pytest.mark.parametrize(
    ("size", "text"),
    [(0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (1_500_000, "1.5 MB"), (2.5e12, "2.5 TB")],
)
def test_sizes_are_short(size, text):
    assert show_size(int(size)) == text
