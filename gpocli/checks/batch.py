"""The sums of a batch, placed where the size stands that is easiest to change."""

from gpocli.checks.findings import Findings
from gpocli.spec.batch import BatchError, BatchPlan, solve

_READS = ("algorithm.type", "algorithm.group_size", "algorithm.keep", "batch")


def check_batch(findings: Findings, processes: int) -> BatchPlan | None:
    """The plan of a batch; None where its sizes do not divide, or are not known."""
    if not findings.are_sound(*_READS):
        return None
    try:
        return solve(findings.spec, processes)
    except BatchError as error:
        path = next(iter(error.suggestions[0])) if error.suggestions else "batch.prompts_per_step"
        findings.add(path, str(error))
    return None
