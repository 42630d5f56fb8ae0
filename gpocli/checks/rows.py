"""What is worth a look in the rows of a sound run: prompts over the limit, those that come again, empty answers."""

from collections.abc import Sequence

from gpocli.checks.findings import Findings
from gpocli.checks.lengths import OVER_LIMIT, add_long
from gpocli.checks.preflight import Preflight
from gpocli.contracts.building import NamedReward
from gpocli.data import Rows
from gpocli.data.named import NamedRows
from gpocli.data.repeats import add_empty, add_repeats, add_shared, prompt_hashes
from gpocli.data.survey import gold_paths
from gpocli.spec.fault import Fault
from gpocli.spec.load import Draft


def examine_rows(draft: Draft, ready: Preflight) -> tuple[list[Fault], list[str]]:
    """The faults of rows that a run would find once it has loaded its tokenizer, and notes on others.

    Of streamed rows only the first are looked at.
    """
    findings = Findings(draft)
    hashes = prompt_hashes(ready.rows)
    _add(findings, ready, ready.rows, _named(ready.rows, hashes, ready.rewards))
    if ready.eval_rows is not None:
        eval_hashes = prompt_hashes(ready.eval_rows)
        named = _named(ready.eval_rows, eval_hashes, ready.rewards)
        add_shared(named, ready.rows, hashes, ready.eval_rows, eval_hashes)
        _add(findings, ready, ready.eval_rows, named)
    return findings.faults, findings.notes


def _named(rows: Rows, hashes: Sequence[int], rewards: Sequence[NamedReward]) -> NamedRows:
    named = NamedRows()
    columns = list(dict.fromkeys(column for reward in rewards for column in reward.columns))
    paths = gold_paths(rows, columns)
    add_repeats(named, rows, hashes, paths)
    add_empty(named, rows, paths)
    return named


def _add(findings: Findings, ready: Preflight, rows: Rows, named: NamedRows) -> None:
    add_long(named, ready.spec, rows)
    for one in named:
        if one.kind != OVER_LIMIT:
            findings.notes.append(str(one))
        elif ready.spec.data.overlong == "drop":
            findings.notes.append(f"{one}; such rows are dropped")
        else:
            findings.add_in_file(f"{one}; shorten them, or set data.overlong=drop")
