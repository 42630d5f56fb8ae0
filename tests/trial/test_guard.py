from gpocli.builtin.guards.wordier import EXTENSION as WORDIER
from gpocli.contracts.guard import Alarm
from gpocli.extensions import GuardExtension
from gpocli.trial.guard import options_of_run, try_guard


def tried(check):
    return try_guard(GuardExtension("mine", lambda options: check, "a guard"))


def test_a_silent_guard_is_sound():
    assert tried(lambda figures: None) == ("sound", [])


def test_one_that_needs_a_figure_that_a_step_need_not_tell_fails():
    finding, faults = tried(lambda figures: figures["loss"] and None)
    assert finding == "fails"
    assert faults[0].startswith("guard 'mine' failed: KeyError: 'loss'")


def test_one_that_fires_on_a_healthy_step_is_at_fault():
    _, faults = tried(lambda figures: Alarm("loss is low", "raise it") if figures.get("loss") else None)
    assert faults == ["guard 'mine' at step 2: loss is low; raise it, which is a healthy one: let it be silent then"]


def test_a_guard_is_told_the_filters_of_the_run_that_it_is_shown(tmp_path):
    (tmp_path / "spec.yaml").write_text("algorithm: {type: gfpo, filters: [correct, length]}\n")
    assert options_of_run(WORDIER, tmp_path) == {"filter": "correct > length"}


def test_one_that_asks_for_none_needs_no_spec(tmp_path):
    assert options_of_run(GuardExtension("mine", lambda options: None, "a guard"), tmp_path) == {}
