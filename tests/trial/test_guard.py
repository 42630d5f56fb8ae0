from gpocli.contracts.guard import Alarm
from gpocli.extensions import GuardExtension
from gpocli.trial.guard import try_guard


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
