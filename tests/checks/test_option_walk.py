"""Every option of TRL that works with gpo: its good value passes all checks, its bad one is refused by one of them."""

import pytest

from gpocli.builtin.rewards.accuracy import EXTENSION as ACCURACY
from gpocli.checks.batch import check_batch
from gpocli.checks.best_model import check_best_model
from gpocli.checks.findings import Findings
from gpocli.checks.preflight import examine
from gpocli.checks.trackers import check_trackers
from gpocli.checks.trl import check_trl
from gpocli.contracts.building import NamedReward
from gpocli.spec.sources import SpecSources, draft_run_spec
from gpocli.trainers.inherited import WORKS
from tests.checks.option_walk import DEEP, WALK, overrides


def drafted(option, value):
    return draft_run_spec(SpecSources(overrides=overrides(option, value)))


def found(option, value):
    """The faults of the spec and of the checks that read `trl`."""
    findings = Findings(drafted(option, value))
    check_batch(findings, 1)
    check_trackers(findings)
    check_trl(findings, 1)
    reward = NamedReward("accuracy", ACCURACY.build(ACCURACY.options()))
    check_best_model(findings, [reward] * len(findings.spec.rewards))
    return findings.faults


def found_deeply(option, value):
    """The faults of a draft that passes all other checks."""
    from gpocli.training.rehearsal import examine_deeply

    draft = drafted(option, value)
    examined = examine(draft)
    return examined.faults if examined.ready is None else examine_deeply(draft, examined.ready)


def mistakes(faults):
    """The lines of faults that no package or device would mend."""
    return [str(fault) for fault in faults if fault.kind != "environment"]


def test_every_option_that_works_is_walked():
    assert WALK.keys() == WORKS


@pytest.mark.parametrize("option", WALK)
def test_a_good_value_passes(option):
    assert mistakes(found(option, WALK[option][0])) == []


@pytest.mark.parametrize("option", sorted(WALK.keys() - DEEP))
def test_a_bad_value_is_refused_in_one_line(option):
    faults = found(option, WALK[option][1])
    assert faults
    assert all("\n" not in str(fault) for fault in faults)


@pytest.mark.parametrize("option", sorted(DEEP))
def test_what_only_the_model_tells_is_refused_by_the_deep_check(option):
    (fault,) = found_deeply(option, WALK[option][1])
    assert "\n" not in str(fault)
