"""What `gpo data` tells about the data of a spec: surveys, what rewards need, and prompts as the model gets them."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gpocli.checks.data import unread_golds
from gpocli.checks.lengths import OVER_LIMIT, add_long
from gpocli.checks.model import context_of
from gpocli.contracts.building import NamedReward
from gpocli.data import Rows, require_columns
from gpocli.data.load import evaluation_of, load_rows, raw_rows
from gpocli.data.prompt_lengths import prompt_limit
from gpocli.data.repeats import IN_BOTH, add_shared
from gpocli.data.required import has_column
from gpocli.data.survey import Survey, survey
from gpocli.data.token_counts import count_tokens
from gpocli.data.tokenizer import light_tokenizer, prompt_texts
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


def report_data(spec: RunSpec, rewards: Sequence[NamedReward], *, lengths: bool = False) -> list[DataReport]:
    """Look at the rows to train on and, when a spec says what they are, at those to evaluate on.

    With `lengths` prompts are counted with the tokenizer of the spec's model, too, if it is at hand. Raises
    EnvironmentFault for a hub that cannot be reached or a package that is missing.
    """
    data = spec.data
    reports = [_report("train", data, rewards)]
    if data.eval_source or data.eval_split or spec.run.eval_every is not None:
        try:
            reports.append(_report("eval", evaluation_of(data), rewards))
        except SpecError as error:
            reports.append(DataReport("eval", Survey(data.eval_source or data.source, faults=[str(error)]), []))
    for report in reports:
        if lengths or data.max_prompt_tokens is not None:
            _find_long(report.survey, spec)
    _find_shared(*(report.survey for report in reports))
    return reports


def _find_long(found: Survey, spec: RunSpec) -> None:
    if found.rows is None:
        return
    add_long(found.named, spec, found.rows)
    told = [str(one) for one in found.named if one.kind == OVER_LIMIT]
    if spec.data.overlong == "refuse":
        found.faults += [f"{line}; shorten them, or set data.overlong=drop" for line in told]
    else:
        found.notes += [f"{line}; such rows are dropped" for line in told]


def _find_shared(train: Survey, evaluation: Survey | None = None) -> None:
    if evaluation is None or train.rows is None or evaluation.rows is None:
        return
    add_shared(evaluation.named, train.rows, train.hashes, evaluation.rows, evaluation.hashes)
    evaluation.notes += [str(one) for one in evaluation.named if one.kind == IN_BOTH]


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


@dataclass(frozen=True, slots=True)
class Preview:
    """The rows that a run would get, the first prompts as the model gets them, and the number of tokens of each.

    `limit` is the most tokens that a prompt may have and `reason` says why; None: any number. The prompts at the
    indices `cut` are so long that only a part was counted, which is over the limit.
    """

    rows: Rows
    texts: list[str]
    counts: Sequence[int]
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


def preview_data(spec: RunSpec, shown: int = 3) -> Preview:
    """Render so many prompts and count all as the model of a spec would get them, without rows that no run could use.

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
    first = rows.select(range(min(shown, len(rows))))
    texts = prompt_texts(first, tokenizer, options) if len(first) else []
    counts = count_tokens(rows, tokenizer, options, limit=limit)
    return Preview(rows, texts, counts.tokens, limit, reason, counts.cut)


def _reader_of(spec: RunSpec, folder: Path) -> tuple[Any, int | None]:
    """The tokenizer of a model, and the tokens that it takes."""
    tokenizer = light_tokenizer(folder) if (folder / "config.json").is_file() else None
    if tokenizer is not None:
        return tokenizer, context_of(folder)
    from gpocli.policy.load import find_policy

    policy = find_policy(spec.model)
    return policy.tokenizer, policy.context
