"""Rows for training and evaluation: whether they can be read, are enough, and have what rewards need."""

from array import array
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path

from gpocli.builtin.rewards.accuracy import AccuracyOptions, unparsable_golds
from gpocli.checks.demo import names_no_data
from gpocli.checks.findings import Findings
from gpocli.columns import read_path
from gpocli.contracts.building import NamedReward
from gpocli.data import Rows, require_columns
from gpocli.data.layouts import gold_of
from gpocli.data.load import evaluation_of, is_at_hand, load_rows, require_generation_batch
from gpocli.data.location import STDIN, STDIN_NAME, find_files
from gpocli.data.saved import saved_splits
from gpocli.errors import GpoError, SpecError
from gpocli.spec.batch import BatchPlan

_GOLDS = 20_000
"""Gold answers that are held in memory at once."""
_LISTED = 6
"""Rows that a remark names."""


def check_rows(findings: Findings, plan: BatchPlan | None) -> Rows | None:
    """Read the rows to train on; None where they cannot be had, or need the hub while there are other faults."""
    data = findings.spec.data
    if (
        names_no_data(findings.draft)
        or not findings.are_sound("data")
        or (findings.faults and not is_at_hand(data.source))
    ):
        return None
    if data.streaming:
        _check_streaming(findings)
    rows: Rows | None = None
    at = "data.source" if data.split == "train" or not is_at_hand(data.source) else "data.split"
    with _in_data(findings, data.source, at):
        rows = load_rows(data)
        findings.notes += rows.notes
        if plan is not None:
            with findings.in_file(rows.source, "data.source"):
                require_generation_batch(rows, plan.prompts_per_generation)
    return rows


def _check_streaming(findings: Findings) -> None:
    """Find what streamed rows cannot go with: they have no end, and TRL must be able to read them."""
    if findings.are_sound("run") and findings.spec.run.steps is None:
        findings.add("data.streaming", "streamed rows have no known number, so epochs have no end; write run.steps")
    if findings.are_sound("algorithm") and findings.spec.algorithm.flat_groups == "refill":
        findings.add("algorithm.flat_groups", "streamed rows cannot be found again, which refill must; write skip")
    if findings.are_sound("trl") and findings.spec.trl.get("dataloader_num_workers"):
        findings.add("trl.dataloader_num_workers", "streamed rows are read by the trainer itself; leave this out")
    # from its text, for importing TRL takes seconds
    trainer = find_spec("trl")
    if trainer is not None and trainer.origin is not None:
        text = (Path(trainer.origin).parent / "trainer" / "utils.py").read_text(encoding="utf-8")
        if "def repeat_iterable_dataset" not in text:
            findings.add("data.streaming", "needs a newer TRL, such as 1.16; update it", "environment")


def check_eval_rows(findings: Findings) -> Rows | None:
    """Read the rows to evaluate on; None where the run has no evaluation, or as for `check_rows`."""
    data, run = findings.spec.data, findings.spec.run
    source = data.eval_source or data.source
    if run.eval_every is None or not findings.are_sound("data", "run.eval_every"):
        return None
    if findings.faults and not is_at_hand(source):
        return None
    rows: Rows | None = None
    at = "data.eval_split" if data.eval_split else "data.eval_source" if data.eval_source else "run.eval_every"
    with _in_data(findings, source, at):
        rows = load_rows(evaluation_of(data))
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
    unread, remark = unread_golds(rows, reward, trust_formulas=True)
    if remark and unread == len(rows):
        findings.add_in_file(remark)
    elif remark:
        findings.notes.append(remark)


def unread_golds(rows: Rows, reward: NamedReward, *, trust_formulas: bool) -> tuple[int, str]:
    """How many gold answers a reward cannot read, and a line about it; an empty one when it reads all, or needs none.

    Formulas that are not trusted are each parsed, which may take seconds for thousands of them.
    """
    options = getattr(reward.function, "options", None)
    if not isinstance(options, AccuracyOptions) or (path := read_path(options.answer_column, rows.columns)) is None:
        return 0, ""
    unread = array("Q")
    for start, block in zip(range(0, len(rows), _GOLDS), rows.blocks(_GOLDS), strict=True):
        golds = [options.compared(path.of(row)) for row in block]
        unread.extend(start + index for index in unparsable_golds(golds, trust_formulas=trust_formulas))
    if not unread:
        return 0, ""
    remark = (
        f"{rows.place(unread[0])}: reward '{reward.name}' cannot read {len(unread)} of {len(rows)} gold answers "
        f"in the column '{options.answer_column}'"
    )
    if len(unread) == len(rows):
        known = gold_of(rows)
        such = f", such as {known}" if known not in (None, options.answer_column) else ""
        cure = f"name the column with the answers as option answer_column{such}, or another reward"
        return len(unread), f"{remark}; {cure}"
    others = ", ".join(rows.place(index) for index in unread[1:_LISTED])
    others += ", ..." if len(unread) > _LISTED else ""
    return len(unread), f"{remark}; their completions get no reward from it{f' (others: {others})' if others else ''}"


@contextmanager
def _in_data(findings: Findings, source: str, path: str) -> Iterator[None]:
    """As `findings.in_file`, for a source that may stand for several files."""
    try:
        yield
    except GpoError as error:
        named = next((name for name in _names(source) if str(error).startswith(f"{name}:")), source)
        with findings.in_file(named, path):
            raise


def _names(source: str) -> list[str]:
    """What messages may call the files of a source."""
    if source == STDIN:
        return [STDIN_NAME]
    with suppress(SpecError):
        folders = list(saved_splits(source).values())
        return [*folders, *(name for one in folders or [source] for name, _ in find_files(one))]
    return []
