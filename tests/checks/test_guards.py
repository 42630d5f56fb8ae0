"""Which guards a run has, and what is wrong with what its spec says of them."""

import pytest

from gpocli.checks.findings import Findings
from gpocli.checks.guards import check_guards
from gpocli.plugin_manager import load_plugins
from gpocli.spec.sources import SpecSources, draft_run_spec

HOST = load_plugins(entry_points=False)


def found(*assignments):
    findings = Findings(draft_run_spec(SpecSources(overrides=list(assignments))))
    return check_guards(findings, HOST), findings


def actions(*assignments):
    return {guard.name: guard.action for guard in found(*assignments)[0]}


def faults(*assignments):
    return [f"{fault.key}: {fault.text}" for fault in found(*assignments)[1].faults]


def test_every_built_in_guard_watches_with_its_own_action():
    assert actions() == {name: one.extension.action for name, one in HOST.guards.items()}


def test_one_is_switched_off_and_another_told_to_warn():
    own = actions("guards.no_signal=off", "guards.weights=warn", "guards.kl_explosion={bound: 2, action: stop}")
    assert "no_signal" not in own
    assert (own["weights"], own["kl_explosion"]) == ("warn", "stop")


def test_options_reach_the_guard():
    (guard,) = [one for one in found("guards.no_signal.window=1")[0] if one.name == "no_signal"]
    assert guard.check({"frac_reward_zero_std": 1.0}) is not None


def test_a_guard_may_be_told_the_filters_of_the_run():
    longer = {"kept/advantage_length_correlation": 0.5}
    for filters, hears in (("[correct, length]", True), ("[correct]", False)):
        own, _ = found("algorithm.type=gfpo", f"algorithm.filters={filters}", "guards.wordier.window=1")
        (guard,) = [one for one in own if one.name == "wordier"]
        assert (guard.check(longer) is not None) is hears


def test_a_file_gives_a_function_or_a_class(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(
        "def silent(figures):\n    return None\n\n\n"
        "class Counts:\n    def __init__(self, bound=3):\n        self.bound = bound\n\n"
        "    def check(self, figures):\n        return None\n"
    )
    own = actions('guards={"./mine.py:silent": warn, "./mine.py:Counts": {bound: 4}}')
    assert (own["silent"], own["Counts"]) == ("warn", "stop")
    assert list(own)[-2:] == ["silent", "Counts"]
    assert faults('guards={"./mine.py:Counts": {bund: 4}}') == [
        "guards../mine.py:Counts.bund: unknown option 'bund'; did you mean 'bound'?"
    ]


@pytest.mark.parametrize(
    ("assignment", "fault"),
    [
        ("guards.nosignal=off", "guards.nosignal: unknown guard 'nosignal'; did you mean 'no_signal'?"),
        ("guards.length=off", "guards.length: 'length' is a filter, not a guard; name it as a filter"),
        ("guards.no_signal=stopp", "guards.no_signal: 'stopp' is no action; did you mean 'stop'?"),
        (
            "guards.no_signal=false",
            "guards.no_signal: False is no action; write off, warn, stop, stop_and_restore, or options",
        ),
        ("guards.no_signal.action=stopp", "guards.no_signal.action: 'stopp' is no action; did you mean 'stop'?"),
        ("guards.no_signal.windw=3", "guards.no_signal.windw: unknown option 'windw'; did you mean 'window'?"),
        (
            "guards.no_signal.window=0",
            "guards.no_signal.window: option 'window' is 0; it should be greater than or equal to 1",
        ),
    ],
)
def test_what_is_wrong_is_told_at_its_place(assignment, fault):
    assert faults(assignment) == [fault]
