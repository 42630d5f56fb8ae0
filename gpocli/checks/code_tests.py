"""The tests of rows for the reward `code`: whether they can be read, before a run comes upon one that cannot."""

from collections.abc import Sequence
from itertools import islice

from gpocli.builtin.rewards.code import Code
from gpocli.builtin.rewards.code_tests import read_tests
from gpocli.checks.findings import Findings
from gpocli.columns import read_path
from gpocli.contracts.building import NamedReward
from gpocli.data import Rows
from gpocli.errors import SpecError

LOOKED_AT = 1000
"""Rows whose tests are read; those of some sets are megabytes a row."""


def check_code_tests(findings: Findings, rewards: Sequence[NamedReward], *all_rows: Rows | None) -> None:
    """Find the first cell of each file that holds no tests, and note how many rows have none."""
    for reward in rewards:
        if isinstance(reward.function, Code):
            for rows in all_rows:
                if rows is not None:
                    _check(findings, reward.function.options.tests_column, rows)


def _check(findings: Findings, column: str, rows: Rows) -> None:
    path = read_path(column, rows.columns)
    if path is None:  # told with the columns that other rewards need
        return
    without = looked_at = 0
    for number, row in enumerate(islice(rows, LOOKED_AT)):
        looked_at += 1
        try:
            without += read_tests(path.of(row)) is None
        except SpecError as error:
            findings.add_in_file(f"{rows.place(number)}: the column '{column}': {error}")
            return
    if without == looked_at:
        findings.add_in_file(f"{rows.source}: no row has tests in the column '{column}'; name another as tests_column")
    elif without:
        findings.notes.append(
            f"{rows.source}: {without} of {looked_at} rows have no tests in the column '{column}'; their completions "
            "get no reward from 'code'"
        )
