"""What `gpo data` tells about the data of a spec: surveys, what rewards need, and prompts as the model gets them."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gpocli.checks.data import unread_golds
from gpocli.checks.model import context_of
from gpocli.contracts.building import NamedReward
from gpocli.data import Rows, require_columns
from gpocli.data.load import evaluation_of, load_rows, raw_rows
from gpocli.data.prompt_lengths import prompt_limit
from gpocli.data.required import has_column
from gpocli.data.survey import Survey, survey
from gpocli.data.tokenizer import bounded_token_counts, light_tokenizer, prompt_texts
from gpocli.embedded import model_folder
from gpocli.errors import SpecError
from gpocli.settings.data import DataSpec
from gpocli.spec import RunSpec


@dataclass(frozen=True, slots=True)
class Need:
    """The columns that a reward cannot do without, those that are not there, and gold answers it cannot read."""

    reward: str
    columns: tuple[str, ...]
    missing: tuple[str, ...] = ()
    unread: int = 0


@dataclass(frozen=True, slots=True)
class DataReport:
    """What was found in the rows for one purpose: "train" or "eval"."""

    purpose: str
    survey: Survey
    needs: list[Need]


def report_data(spec: RunSpec, rewards: Sequence[NamedReward]) -> list[DataReport]:
    """Look at the rows to train on and, when a spec says what they are, at those to evaluate on.

    Raises EnvironmentFault for a hub that cannot be reached or a package that is missing.
    """
    data = spec.data
    reports = [_report("train", data, rewards)]
    if data.eval_source or data.eval_split or spec.run.eval_every is not None:
        try:
            reports.append(_report("eval", evaluation_of(data), rewards))
        except SpecError as error:
            reports.append(DataReport("eval", Survey(data.eval_source or data.source, faults=[str(error)]), []))
    return reports


def _report(purpose: str, data: DataSpec, rewards: Sequence[NamedReward]) -> DataReport:
    gold = list(dict.fromkeys(column for reward in rewards for column in reward.columns)) or ["answer"]
    found = survey(data, lambda on_fault: raw_rows(data, on_fault), gold)
    needs = [_need(reward, found, found.table) for reward in rewards]
    return DataReport(purpose, found, needs)


def _need(reward: NamedReward, found: Survey, rows: Rows | None) -> Need:
    if rows is None:
        return Need(reward.name, reward.columns)
    missing = missing_columns(rows, reward)
    for column in missing:
        try:
            require_columns(rows, reward.name, [column])
        except SpecError as error:
            found.faults.append(str(error))
    unread, remark = unread_golds(rows, reward, trust_formulas=False)
    if remark:
        (found.faults if unread == len(rows) else found.notes).append(remark)
    return Need(reward.name, reward.columns, missing, unread)


def missing_columns(rows: Rows, reward: NamedReward) -> tuple[str, ...]:
    """The columns that a reward needs and the rows have not."""
    return tuple(column for column in reward.columns if not has_column(rows, column))


# Preview

_COUNTED = 200_000
"""Characters of a prompt whose tokens are counted, or more where the limit may be higher: a line may hold a book."""
_OF_A_TOKEN = 16
"""Characters that no token has on average."""


@dataclass(frozen=True, slots=True)
class Preview:
    """The rows that a run would get, each prompt as the model gets it, and its number of tokens.

    `limit` is the most tokens that a prompt may have and `reason` says why; None: any number. The prompts at the
    indices `cut` are so long that only a part was counted, which is over the limit if there is one.
    """

    rows: Rows
    texts: list[str]
    counts: list[int]
    limit: int | None
    reason: str
    cut: frozenset[int] = frozenset()

    @property
    def over(self) -> int:
        """How many prompts are over the limit."""
        return 0 if self.limit is None else sum(count > self.limit for count in self.counts)

    @property
    def tokens(self) -> tuple[int, float, int]:
        """Tokens of the shortest prompt, of the median one and of the longest."""
        return min(self.counts), statistics.median(self.counts), max(self.counts)


def preview_data(spec: RunSpec) -> Preview:
    """Render and count the prompts that the model of a spec would get; rows that no run could use are left out.

    Torch is imported only for a model without a `tokenizer.json` in a folder. Raises SpecError and EnvironmentFault.
    """
    data = spec.data
    rows = load_rows(data.model_copy(update={"bad_rows": "drop", "streaming": False}))
    folder = model_folder(spec.model.name)
    tokenizer, context = _reader_of(spec, folder)
    try:
        limit, reason = prompt_limit(data.max_prompt_tokens, context, spec.sampling.max_tokens)
    except SpecError as no_room:
        limit, reason = 0, str(no_room)
    options = spec.trl.get("chat_template_kwargs")
    texts = prompt_texts(rows, tokenizer, options)
    most = max(_COUNTED, _OF_A_TOKEN * (limit or 0))
    counts, cut = bounded_token_counts(rows, texts, most, tokenizer, options)
    return Preview(rows, texts, counts, limit, reason, cut)


def _reader_of(spec: RunSpec, folder: Path) -> tuple[Any, int | None]:
    """The tokenizer of a model, and the tokens that it takes."""
    tokenizer = light_tokenizer(folder) if (folder / "config.json").is_file() else None
    if tokenizer is not None:
        return tokenizer, context_of(folder)
    from gpocli.policy.load import find_policy

    policy = find_policy(spec.model)
    return policy.tokenizer, policy.context
