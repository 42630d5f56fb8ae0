"""A commented starter spec, written from the sections themselves."""

from collections.abc import Iterator
from typing import Any

from gpocli.settings.docs import field_docs
from gpocli.settings.section import Section
from gpocli.spec.dump import dump_value
from gpocli.spec.run_spec import RunSpec

SCHEMA_FILE = "gpo-spec.schema.json"

_WRITTEN = {
    "algorithm": ("type", "group_size", "keep", "filters"),
    "model": ("name",),
    "rewards": (),
}
"""What the starter sets; a value of the others is shown in a comment, for it depends on the model."""

_SHOWN = {  # and all of the algorithm, which differs from one to the other
    "model": ("dtype", "lora"),
    "data": ("source", "columns", "system", "eval_source", "max_prompt_tokens"),
    "sampling": ("temperature", "max_tokens", "engine", "vllm"),
    "optim": ("learning_rate", "schedule", "warmup_steps", "gradient_checkpointing"),
    "batch": ("prompts_per_step", "micro_batch", "updates_per_generation"),
    "run": ("name", "steps", "seed", "save_every", "eval_every", "trackers"),
}


def starter(algorithm: str, file_name: str) -> str:
    """The text of a starter for `algorithm` that is to be called `file_name`."""
    return "\n".join(_lines(algorithm, file_name)) + "\n"


def _lines(algorithm: str, file_name: str) -> Iterator[str]:
    spec = RunSpec.model_validate({"algorithm": {"type": algorithm}})
    yield f"# yaml-language-server: $schema={SCHEMA_FILE}"
    yield f"# `gpo check {file_name}` tells what is wrong with it, `gpo train {algorithm} {file_name}` trains."
    yield "# Values behind a # are the defaults for a model of your own; `gpo config show` lists every setting."
    docs = field_docs(RunSpec)
    for name in RunSpec.model_fields:
        written, shown = _WRITTEN.get(name, ()), _SHOWN.get(name, ())
        if name == "algorithm":
            shown = tuple(one for one in type(spec.algorithm).model_fields if one not in written)
        if name == "rewards":
            yield from ("", f"# {docs[name]}", "rewards: [accuracy]")
        elif name == "guards":
            yield from ("", f"# {docs[name]}", "#guards: {}  # gpo guards list; no_signal: off would switch one off")
        elif written or shown:
            yield from ("", f"# {docs[name]}", f"{name}:" if written else f"#{name}:")
            yield from _fields(getattr(spec, name), written, shown)


def _fields(section: Section, written: tuple[str, ...], shown: tuple[str, ...]) -> Iterator[str]:
    docs = field_docs(type(section))
    values = section.model_dump()
    names = [name for name in (*written, *shown) if name in values]
    settings = {name: f"{name}: {dump_value(_short(values[name]))}" for name in names}
    width = max(map(len, settings.values()))
    for name, setting in settings.items():
        mark = "  " if name in written and values[name] else "#  "
        yield f"{mark}{setting:<{width + 5 - len(mark)}}# {docs[name]}"


def _short(value: Any) -> Any:
    """Filters without options by their names alone."""
    if isinstance(value, list):
        return [item["name"] if isinstance(item, dict) and not item["options"] else item for item in value]
    return value
