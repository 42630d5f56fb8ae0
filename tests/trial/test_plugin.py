"""An author's check of a plugin, of records given as they are and of a folder."""

import pytest

from gpocli.data import gather
from gpocli.errors import SpecError
from gpocli.plugin_manager import load_plugins
from gpocli.trial.plugin import check_plugins

ROWS = gather("here", [(line, {"prompt": "2+2=?", "answer": "4"}) for line in range(1, 5)])
FILTER = """
import gpocli


def fewest(group_completions, group_rewards, completion_lengths):
    return [[-float(length) for length in group] for group in completion_lengths]


@gpocli.hookimpl
def gpo_filters():
    return [gpocli.FilterExtension("{name}", lambda options: fewest, {summary!r})]
"""


@pytest.fixture
def check(tmp_path, monkeypatch):
    """Check the file `mine.py` with a text, or a target in its folder."""
    monkeypatch.chdir(tmp_path)

    def run(text=None, target="./mine.py"):
        if text is not None:
            (tmp_path / "mine.py").write_text(text)
        return check_plugins(target, load_plugins(entry_points=False), ROWS)

    return run


def faults(check, name="fewest", summary="the fewest tokens"):
    (found,) = check(FILTER.format(name=name, summary=summary))
    return found.faults


def test_a_sound_plugin_has_no_fault(check):
    (found,) = check(FILTER.format(name="fewest", summary="the fewest tokens"))
    assert [(one.name, one.finding) for one in found.checks] == [
        ("loads", "1 filter, 0 rewards, 0 guards, 0 algorithms"),
        ("filter fewest", "sound"),
    ]


def test_a_name_that_is_taken_is_told(check):
    (fault,) = faults(check, name="length")
    assert fault.startswith("filter 'length' is also claimed by ")


@pytest.mark.parametrize(
    ("summary", "text"),
    [
        ("", "filter 'fewest' has no summary; write one line that says what it does"),
        ("x" * 101, "the summary of filter 'fewest' has 101 characters; write one line of at most 100"),
    ],
)
def test_a_summary_is_one_line(check, summary, text):
    assert faults(check, summary=summary) == [text]


def test_a_plugin_that_does_not_load_is_told(check):
    (found,) = check("1 / 0\n")
    assert found.checks[0].finding == "no"
    assert found.faults[0].startswith(
        "plugin ./mine.py is broken: plugin './mine.py' failed on import: ZeroDivisionError"
    )


def test_a_folder_must_name_its_plugin(check, tmp_path):
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "mine"\n')
    with pytest.raises(SpecError, match=r"names no plugin; write \[project\.entry-points\.gpo\]"):
        check(target=str(tmp_path))


def test_a_package_depends_on_gpocli_and_has_a_readme(check, tmp_path):
    (tmp_path / "pyproject.toml").write_text(
        '[project]\nname = "mine"\n[project.entry-points.gpo]\nmine = "mine_of_a_test"\n'
    )
    (tmp_path / "mine_of_a_test.py").write_text(FILTER.format(name="fewest", summary="the fewest tokens"))
    (found,) = check(target=str(tmp_path))
    assert [fault.partition(";")[0].partition("' ")[2] for fault in found.faults] == [
        "does not depend on gpocli",
        "has no README",
    ]


def test_a_plugin_that_is_not_there_is_told(check):
    with pytest.raises(SpecError, match=r"^no plugin 'builtni'; did you mean 'builtin'"):
        check(target="builtni")
