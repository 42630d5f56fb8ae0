"""The card of a model: what is known of how it was made, as the README.md that goes with its weights."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from gpocli.extensions import AlgorithmExtension

ARXIV = "arXiv "


@dataclass(frozen=True, slots=True)
class Figure:
    """A measured number, with the bounds of its interval where one was recorded."""

    name: str
    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class CardFacts:
    """What a card tells; nothing stands on it for what is None or empty.

    `base` is a hub id, or a name in words with `base_is_public` off: only a hub id can be linked. `rewards`, `filters`,
    `data` and `course` are lines in words; `spec` is YAML text; `figures` are by what they are of.
    """

    name: str
    method: AlgorithmExtension
    filtered_as: AlgorithmExtension | None = None
    """The method of the filter, where it is another than `method`."""
    base: str | None = None
    base_is_public: bool = False
    is_adapter: bool = False
    group_size: int | None = None
    keep: int | None = None
    filters: Sequence[str] = ()
    rewards: Sequence[str] = ()
    data: Sequence[str] = ()
    datasets: Sequence[str] = ()
    """Hub ids among the data."""
    course: Sequence[str] = ()
    figures: Mapping[str, Sequence[Figure]] = field(default_factory=dict)
    spec: str | None = None
    versions: Mapping[str, str] = field(default_factory=dict)
    tags: Sequence[str] = ()


def render_card(facts: CardFacts) -> str:
    """The whole card: the front matter that hubs read, and Markdown below it."""
    parts = [_front_matter(facts), f"# {facts.name}", _about(facts)]
    parts += [part for part in (_method(facts), _data(facts), _figures(facts), _use(facts), _spec(facts)) if part]
    parts += [part for part in (_versions(facts), _citations(facts)) if part]
    return "\n\n".join(parts) + "\n"


def _front_matter(facts: CardFacts) -> str:
    lines = [f"library_name: {'peft' if facts.is_adapter else 'transformers'}", f"model_name: {_quoted(facts.name)}"]
    if facts.base is not None and facts.base_is_public:
        lines += [
            f"base_model: {_quoted(facts.base)}",
            f"base_model_relation: {'adapter' if facts.is_adapter else 'finetune'}",
        ]
    lines += _yaml_list("datasets", facts.datasets)
    lines += _yaml_list("tags", dict.fromkeys(["gpo", "trl", facts.method.name, *facts.tags]))
    return "\n".join(["---", *lines, "pipeline_tag: text-generation", "---"])


def _yaml_list(name: str, values: Sequence[str] | Mapping[str, None]) -> Iterator[str]:
    if values:
        yield f"{name}:"
        yield from (f"- {_quoted(value)}" for value in values)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)  # which YAML reads as the same text


def _about(facts: CardFacts) -> str:
    what = "A LoRA adapter for" if facts.is_adapter else "A fine-tuned version of"
    if facts.base is None:
        base, what = "", "A LoRA adapter" if facts.is_adapter else "A language model"
    elif facts.base_is_public:
        base = f" [{facts.base}](https://huggingface.co/{facts.base})"
    else:
        base = f" {facts.base}"
    trained = f"trained with {facts.method.title} ({_paper(facts.method)})"
    if facts.filtered_as is not None:
        trained += f" on groups that are filtered as in {facts.filtered_as.title} ({_paper(facts.filtered_as)}),"
    return f"{what}{base}, {trained} by gpo (`gpocli`), on top of TRL."


def _paper(method: AlgorithmExtension) -> str:
    if not method.paper.startswith(ARXIV):
        return method.paper
    return f"[{method.paper}](https://arxiv.org/abs/{method.paper.removeprefix(ARXIV)})"


def _method(facts: CardFacts) -> str:
    lines = [f"- {facts.method.title}: {facts.method.summary}"]
    if facts.group_size is not None:
        kept = "" if facts.keep in (None, facts.group_size) else f", {facts.keep} kept and trained on"
        lines.append(f"- Candidates sampled a prompt: {facts.group_size}{kept}")
    lines += _named("Filter", facts.filters) + _named("Reward", facts.rewards) + [f"- {one}" for one in facts.course]
    return "\n".join(["## Training", "", *lines])


def _named(word: str, lines: Sequence[str]) -> list[str]:
    return [f"- {word}: {line}" for line in lines]


def _data(facts: CardFacts) -> str:
    return "\n".join(["## Data", "", *(f"- {line}" for line in facts.data)]) if facts.data else ""


def _figures(facts: CardFacts) -> str:
    if not facts.figures:
        return ""
    lines = ["## Figures"]
    for of_what, figures in facts.figures.items():
        lines += ["", f"{of_what}:", "", "| figure | value | interval |", "| --- | ---: | --- |"]
        lines += [f"| {_cell(one.name)} | {one.value:.4g} | {_interval(one)} |" for one in figures]
    return "\n".join(lines)


def _interval(figure: Figure) -> str:
    if figure.low is None or figure.high is None:
        return "not recorded"
    return f"{figure.low:.4g} to {figure.high:.4g}"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _use(facts: CardFacts) -> str:
    if not facts.is_adapter:
        return _block(
            "Use",
            "python",
            "from transformers import pipeline\n\n"
            'generate = pipeline("text-generation", model=".")  # this folder, or the id of its repository\n'
            'print(generate("Your prompt")[0]["generated_text"])',
        )
    base = facts.base if facts.base is not None and facts.base_is_public else "the base model"
    return _block(
        "Use",
        "python",
        "from peft import PeftModel\nfrom transformers import AutoModelForCausalLM\n\n"
        f"base = AutoModelForCausalLM.from_pretrained({_quoted(base)})\n"
        'model = PeftModel.from_pretrained(base, ".")  # this folder, or the id of its repository',
    )


def _spec(facts: CardFacts) -> str:
    return "" if facts.spec is None else _block("Spec", "yaml", facts.spec.rstrip("\n"))


def _versions(facts: CardFacts) -> str:
    lines = [f"- {name} {version}" for name, version in facts.versions.items()]
    return "\n".join(["## Versions", "", *lines]) if lines else ""


def versions_in(card: str) -> dict[str, str]:
    """The versions that an earlier card tells."""
    section = card.partition("\n## Versions\n\n")[2].partition("\n\n")[0]
    rows = (line.removeprefix("- ").rpartition(" ") for line in section.splitlines() if line.startswith("- "))
    return {name: version for name, _, version in rows if name}


def _citations(facts: CardFacts) -> str:
    entries = [_entry(method) for method in (facts.method, facts.filtered_as) if method is not None]
    found = [entry for entry in entries if entry]
    return _block("Citation", "bibtex", "\n\n".join(found)) if found else ""


def _entry(method: AlgorithmExtension) -> str:
    citation = method.citation
    if citation is None:
        return ""
    entry = [
        f"@misc{{{method.name},",
        f"  title = {{{{{citation.title}}}}},",
        f"  author = {{{citation.authors}}},",
        f"  year = {{{citation.year}}},",
    ]
    if method.paper.startswith(ARXIV):
        entry += [f"  eprint = {{{method.paper.removeprefix(ARXIV)}}},", "  archivePrefix = {arXiv},"]
    return "\n".join([*entry, "}"])


def _block(title: str, language: str, text: str) -> str:
    """A section that is a block of code, fenced so that nothing in the text ends it."""
    fence = "```"
    while fence in text:
        fence += "`"
    return f"## {title}\n\n{fence}{language}\n{text}\n{fence}"
