"""Batch sums are told where the size stands that is easiest to change."""

from gpocli.checks.batch import check_batch
from gpocli.checks.findings import Findings


def test_sizes_that_divide_make_a_plan(draft):
    plan = check_batch(Findings(draft("batch: {prompts_per_step: 6, micro_batch: 4}\nalgorithm: {keep: 2}\n")), 1)
    assert (plan.rows_per_step, plan.micro_batch, plan.accumulation) == (12, 4, 3)


def test_a_sum_that_fails_stands_at_a_size_to_change(draft):
    findings = Findings(draft("batch: {prompts_per_step: 5, micro_batch: 4}\nalgorithm: {keep: 2}\n"))
    assert check_batch(findings, 1) is None
    (fault,) = findings.faults
    assert fault.key in ("batch.prompts_per_step", "batch.micro_batch")


def test_sizes_that_are_faulty_themselves_are_not_summed(draft):
    findings = Findings(draft("batch: {prompts_per_step: none}\n"))
    before = list(findings.faults)
    assert check_batch(findings, 1) is None
    assert findings.faults == before
