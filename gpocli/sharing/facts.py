"""The facts of a card, from what a run has recorded. Free of torch."""

import platform
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from gpocli.embedded import EMBEDDED
from gpocli.runs.step_figures import read_logs
from gpocli.runs.summary import summarize
from gpocli.sharing.card import CardFacts, Figure
from gpocli.sharing.public import base_name, is_hub_id, public_spec, shown
from gpocli.spec import RunSpec
from gpocli.spec.algorithms import algorithm
from gpocli.spec.dump import dump_spec, dump_value

_PACKAGES = ("gpocli", "trl", "transformers", "torch", "peft", "datasets")


def versions_here() -> dict[str, str]:
    """Python and the packages that training rests on, as they are installed."""
    found = {"python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def facts_of_run(
    name: str,
    spec: RunSpec,
    metrics: Iterable[Mapping[str, Any]],
    *,
    sources: Mapping[str, str],
    versions: Mapping[str, str],
    step: int | None = None,
    is_adapter: bool | None = None,
    evaluations: Sequence[Mapping[str, Any]] = (),
) -> CardFacts:
    """What a card says of the model after `step` steps of a run, the last one where it is None.

    `sources` are the digests of code and data by name, as checkpoints have them; `evaluations` what was evaluated of
    that model afterwards (see `gpocli.evaluation.folder`).
    """
    lines = [line for line in metrics if line.get("kind") != "end" and (step is None or line["step"] <= step)]
    section, method = spec.algorithm, spec.extension
    is_filtered = bool(section.chain)
    data = spec.data
    return CardFacts(
        name=name,
        method=method,
        filtered_as=algorithm("gfpo") if is_filtered and method.name != "gfpo" else None,
        base=base_name(spec.model.name),
        base_is_public=is_hub_id(spec.model.name),
        is_adapter=spec.model.lora is not None if is_adapter is None else is_adapter,
        group_size=section.group_size,
        keep=section.kept,
        filters=[_named(one.name, one.options) for one in section.chain],
        rewards=[_named(one.name, one.options, one.weight) for one in spec.rewards],
        data=_data(spec, sources),
        datasets=[one for one in dict.fromkeys((data.source, data.eval_source or data.source)) if is_hub_id(one)],
        course=_course(lines),
        figures=_evaluation(lines) | dict(map(_measured, evaluations)),
        spec=dump_spec(public_spec(spec)),
        versions=versions,
    )


def _named(name: str, options: Mapping[str, Any], weight: float = 1.0) -> str:
    text = f"`{shown(name)}`" + ("" if weight == 1 else f", weight {weight:g}")
    shown_options = [f"{key} {dump_value(value)}" for key, value in options.items() if not isinstance(value, str)]
    return text + (f" ({', '.join(shown_options)})" if shown_options else "")


def _data(spec: RunSpec, sources: Mapping[str, str]) -> list[str]:
    data = spec.data
    split = f", split `{data.split}`" if data.source == EMBEDDED or is_hub_id(data.source) else ""
    lines = [f"Trained on {_source(data.source)}{split}" + _limited(data.limit)]
    if spec.run.eval_every is not None:
        lines.append(f"Evaluated on {_source(data.eval_source or data.source)}" + _limited(data.eval_limit))
    return lines + [f"SHA-256 of {_label(name)}: `{digest}`" for name, digest in sources.items()]


def _source(source: str) -> str:
    if source == EMBEDDED:
        return "the sums that ship in gpo"
    return f"[{source}](https://huggingface.co/datasets/{source})" if is_hub_id(source) else f"`{shown(source)}`"


def _limited(limit: int | None) -> str:
    return "" if limit is None else f", its first {limit:,} rows"


def _label(name: str) -> str:
    """`data '/home/me/train.jsonl'` as `data 'train.jsonl'`."""
    kind, quote, rest = name.partition("'")
    return f"{kind}'{shown(rest.removesuffix(quote))}'" if quote else name


def _course(lines: Sequence[Mapping[str, Any]]) -> list[str]:
    summary = summarize(lines)
    return [f"Course: {summary.lines()[0]}"] if summary.steps else []


def _evaluation(lines: Sequence[Mapping[str, Any]]) -> dict[str, list[Figure]]:
    """The last evaluation of the run."""
    last = next((line for line in reversed(lines) if line.get("kind") == "eval"), None)
    if last is None:
        return {}
    figures = read_logs(last, "eval_")
    named = {
        "reward": figures.reward_all if figures.reward is None else figures.reward,
        "accuracy": figures.accuracy,
        "mean length (tokens)": figures.length_all,
        "share cut at the token limit": figures.cut,
    }
    found = [Figure(name, value) for name, value in named.items() if value is not None]
    return {f"Evaluation after step {last['step']}": found} if found else {}


def _measured(facts: Mapping[str, Any]) -> tuple[str, list[Figure]]:
    """The figures of an evaluation, and what they are of."""
    data, sampling = facts["data"], facts["sampling"]
    how = f"{facts['samples']} answers each at temperature {sampling['temperature']:g}"
    asked = f"`gpo eval` on {facts['graded']:,} prompts of {_source(data['source'])}, {how}, seed {facts['seed']}"
    right = f"right by `{shown(facts['right'])}`, intervals of 95 % over prompts, of the weights as the run saved them"
    figures = [
        Figure(name, one["value"], one["low"], one["high"])
        for name, one in facts["figures"].items()
        if one["value"] is not None
    ]
    return f"{asked} ({right})", figures
