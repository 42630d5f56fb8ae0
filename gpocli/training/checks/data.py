"""Rows for training and evaluation: whether they can be read, are enough, and have what rewards need."""

from collections.abc import Sequence
from typing import Any

from gpocli.builtin.rewards.accuracy import AccuracyOptions, unparsable_golds
from gpocli.data import Rows, looks_local, require_columns
from gpocli.errors import SpecError
from gpocli.plugin_manager import NamedReward
from gpocli.spec.batch import BatchPlan
from gpocli.training.checks.findings import Findings
from gpocli.training.dataset import EMBEDDED, eval_split_of, load_rows, require_generation_batch


def check_rows(findings: Findings, plan: BatchPlan | None) -> Rows | None:
    """Read the rows to train on; None where they cannot be had, or need the hub while there are other faults."""
    data = findings.spec.data
    if not findings.are_sound("data") or (findings.faults and not _is_at_hand(data.source)):
        return None
    rows: Rows | None = None
    at = "data.source" if data.split == "train" or not _is_at_hand(data.source) else "data.split"
    with findings.in_file(data.source, at):
        rows = load_rows(data.source, split=data.split, limit=data.limit, **_shared(findings))
        findings.notes += rows.notes
        if plan is not None:
            with findings.in_file(data.source, "data.source"):
                require_generation_batch(rows, plan.prompts_per_generation)
    return rows


def check_eval_rows(findings: Findings) -> Rows | None:
    """Read the rows to evaluate on; None where the run has no evaluation, or as for `check_rows`."""
    data, run = findings.spec.data, findings.spec.run
    source = data.eval_source or data.source
    if run.eval_every is None or not findings.are_sound("data", "run.eval_every"):
        return None
    if findings.faults and not _is_at_hand(source):
        return None
    rows: Rows | None = None
    at = "data.eval_split" if data.eval_split else "data.eval_source" if data.eval_source else "run.eval_every"
    with findings.in_file(source, at):
        split = data.eval_split or ("train" if data.eval_source else eval_split_of(source))
        if split is None:
            raise SpecError(f"'{source}' has no split to evaluate on; write data.eval_source, or data.eval_split")
        rows = load_rows(source, split=split, limit=data.eval_limit, **_shared(findings))
    return rows  # noqa: RET504 - stays None where the block fails


def check_columns(findings: Findings, rewards: Sequence[NamedReward], *all_rows: Rows | None) -> None:
    """Find columns that rewards need and rows have not, and gold answers that cannot be read."""
    for rows in all_rows:
        if rows is None:
            continue
        for reward in rewards:
            for column in reward.columns:
                with findings.in_file(rows.source, "data.source"):
                    require_columns(rows, reward.name, [column])
            _check_golds(findings, rows, reward)


def _check_golds(findings: Findings, rows: Rows, reward: NamedReward) -> None:
    options = getattr(reward.function, "options", None)
    if not isinstance(options, AccuracyOptions) or options.answer_column not in rows.columns:
        return
    unread = unparsable_golds([row[options.answer_column] for row in rows], trust_formulas=True)
    if not unread:
        return
    remark = (
        f"{rows.place(unread[0])}: reward '{reward.name}' cannot read {len(unread)} of {len(rows)} gold answers "
        f"in the column '{options.answer_column}'"
    )
    if len(unread) == len(rows):
        findings.add_in_file(f"{remark}; name the column with the answers as option answer_column, or another reward")
    else:
        findings.notes.append(f"{remark}; their completions get no reward from it")


def _is_at_hand(source: str) -> bool:
    return source == EMBEDDED or looks_local(source)


def _shared(findings: Findings) -> dict[str, Any]:
    data = findings.spec.data
    return {"columns": data.columns, "system": data.system, "as_chat": data.chat, "bad_rows": data.bad_rows}
