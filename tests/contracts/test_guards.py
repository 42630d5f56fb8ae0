import pytest
from pydantic import create_model

from gpocli.contracts.guard import Alarm
from gpocli.contracts.guards import Guards, NamedGuard, told_by_run
from gpocli.errors import PluginError

ALARM = Alarm("x is 2, above 1", "lower x")


def over_one(figures):
    return ALARM if figures["x"] > 1 else None


def of(check=over_one, action="stop", name="x"):
    return NamedGuard(name, check, action)


def test_a_verdict_is_one_line_with_guard_step_figure_and_cure():
    (verdict,) = Guards([of()]).look(7, {"x": 2})
    assert str(verdict) == "guard 'x' at step 7: x is 2, above 1; lower x"


def test_a_warning_is_told_once_until_all_is_well_again():
    guards = Guards([of(action="warn")])
    assert [len(guards.look(step, {"x": x})) for step, x in enumerate([2, 2, 0, 2, 2])] == [1, 0, 0, 1, 0]


def test_a_stop_is_told_each_time():
    """A resumed run has been told those before: it stops at the next bad step."""
    guards = Guards([of()])
    assert [len(guards.look(step, {"x": x})) for step, x in enumerate([2, 2])] == [1, 1]


def test_the_first_guard_is_heard_first():
    assert [one.name for one in Guards([of(name="b"), of(name="a")]).look(1, {"x": 2})] == ["b", "a"]


@pytest.mark.parametrize(("lines", "good"), [(0, 29), (1, 20), (2, 10), (3, 0), (9, 0)])
def test_the_run_was_well_up_to_the_step_before_the_bad_lines(lines, good):
    guards = Guards([of(lambda figures: Alarm("", "", lines) if figures else None)])
    guards.look(10, {})
    guards.look(20, {})
    assert guards.look(30, {"x": 2})[0].good == good


def test_a_guard_that_fails_is_named():
    with pytest.raises(
        PluginError, match=r"guard 'x' failed: KeyError: 'x' \(test_guards.py:\d+\); mend it, or switch"
    ):
        Guards([of()]).look(1, {})


@pytest.mark.parametrize("returned", [True, "too long", [ALARM]])
def test_what_is_no_alarm_is_refused(returned):
    with pytest.raises(PluginError, match=r"guard 'x' returned .*; return None, or an Alarm"):
        Guards([of(lambda figures: returned)]).look(1, {})


def test_it_knows_its_guards():
    assert "x" in Guards([of()])
    assert "y" not in Guards([of()])


@pytest.mark.parametrize(
    ("default", "filters", "told"),
    [("", ["correct", "length"], {"filter": "correct > length"}), ("", [], {}), ("length", ["correct"], {})],
)
def test_a_run_fills_in_its_filters_where_the_option_is_empty(default, filters, told):
    options = create_model("Options", filter=(str, default))
    assert told_by_run(options, filters) == told
