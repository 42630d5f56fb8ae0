"""Options under `trl` that would have no effect, take something away, or replace what a section says."""

from gpocli.checks.findings import Findings
from gpocli.checks.generation_kwargs import check_generation_kwargs
from gpocli.checks.optional import check_optional
from gpocli.checks.trl_effect import note_without_effect
from gpocli.checks.trl_together import check_together
from gpocli.checks.trl_values import check_values
from gpocli.spec.trl_config import EVAL_BATCH
from gpocli.spec.wording import shown
from gpocli.trainers.inherited import NEVER_READ


def check_trl(findings: Findings, processes: int) -> None:
    """Find what the trainer would refuse when it is built, and what it would not say."""
    if not findings.are_sound("algorithm.type"):
        return
    spec = findings.spec
    for name, value in spec.trl.items():
        if name in NEVER_READ:
            reason = f"has no effect under {spec.algorithm.type} ({NEVER_READ[name]}); remove it"
            findings.add(f"trl.{name}", reason)
        elif name == "remove_unused_columns" and value is not False:
            findings.add(
                "trl.remove_unused_columns", f"{shown(value)} takes the data columns away from rewards; remove it"
            )
    check_values(findings)
    check_generation_kwargs(findings)
    check_together(findings)
    check_optional(findings)
    note_without_effect(findings)
    if spec.run.eval_every is not None:
        _check_eval_groups(findings, processes)


def _check_eval_groups(findings: Findings, processes: int) -> None:
    trl = findings.spec.trl
    group, batch = trl.get("num_generations_eval") or 1, trl.get("per_device_eval_batch_size", EVAL_BATCH)
    if not isinstance(group, int) or not isinstance(batch, int) or batch * processes % group == 0:
        return
    rows = f"{batch}" if processes == 1 else f"{batch} x {processes} processes = {batch * processes}"
    near = [size for size in (batch // group * group, -(-batch // group) * group) if size]
    findings.add(
        "trl.num_generations_eval" if "num_generations_eval" in trl else "trl.per_device_eval_batch_size",
        f"an evaluation batch of {rows} completions does not hold whole groups of {group}; "
        f"write trl.per_device_eval_batch_size: {' or '.join(map(str, near))}",
    )
