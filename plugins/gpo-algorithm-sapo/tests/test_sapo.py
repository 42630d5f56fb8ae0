from gpo_algorithm_sapo import gpo_algorithms

from gpocli.contracts.plugin import check_extension
from gpocli.spec.load import draft_spec


def draft(*overrides):
    return draft_spec([], ["algorithm.type=sapo", *overrides])


def test_record_is_sound():
    (extension,) = gpo_algorithms()
    check_extension(extension)
    assert extension.takes_filters


def test_half_of_a_group_is_kept_by_a_filter():
    assert draft("algorithm.filters=[length]").spec.algorithm.keep == 4


def test_what_would_have_no_effect_is_refused():
    (fault,) = draft("trl.delta=2.0").faults
    assert "has no effect under sapo (SAPO has a soft gate and no clip" in fault.text
