"""What a model that is asked brings along: a run, the settings it was trained with; any other, the defaults."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gpocli.checks.findings import Findings
from gpocli.checks.model import check_hub_model, check_model, context_of
from gpocli.data.load import is_at_hand, load_rows
from gpocli.embedded import EMBEDDED, is_adapter, model_folder
from gpocli.errors import GpoError, SpecError
from gpocli.runs.run import Run, is_run
from gpocli.settings.data import DataSpec
from gpocli.spec import RunSpec
from gpocli.spec.fault import as_error
from gpocli.spec.layer import Assignment, Layer, Place
from gpocli.spec.load import Draft, draft_spec
from gpocli.spec.sources import SpecSources, draft_run_spec

BASE = "base"
"""What a command calls the model that a run began with."""
_OF_DATA = ("system", "chat", "columns")
_LONGEST = 1024


@dataclass(frozen=True, slots=True)
class Asked:
    """A model to ask: the spec that names it and says how it is sampled, and the run that made it."""

    spec: RunSpec
    run: Run | None
    notes: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """What the user called it."""
        return self.spec.model.name

    @property
    def template_options(self) -> Mapping[str, Any] | None:
        """What the chat template gets beside the messages."""
        return self.spec.trl.get("chat_template_kwargs")


def find_asked(name: str, overrides: Sequence[str] = (), flags: Sequence[Assignment] = ()) -> Asked:
    """The model, run or hub id `name`, with `--set` texts and flags on top of what it brings.

    Raises `SpecError` and `EnvironmentFault` where it cannot be had, before torch is imported.
    """
    run = run_of(name)
    draft = _draft(name, run, overrides, [Assignment("model.name", name, Place("MODEL")), *flags])
    findings = Findings(draft)
    if draft.spec is not None:
        check_model(findings)
        check_hub_model(findings)
    if findings.faults:
        raise as_error(findings.faults)
    return Asked(draft.loaded().spec, run, tuple(findings.notes))


def base_of(asked: Asked) -> str:
    """The name of the model that a run began with. Raises `SpecError` for a model that is of no run."""
    if asked.run is None:
        raise SpecError(f"'{asked.name}' is no run, so nothing tells its base; name a model instead of '{BASE}'")
    return str(asked.run.settings.get("model", {}).get("name"))


def run_of(name: str) -> Run | None:
    """The run whose directory, final model or checkpoint is called `name`."""
    folder = Path(name).expanduser()
    places = (folder, folder.parent, folder.parent.parent) if folder.is_dir() else ()
    is_inside = {1: "model", 2: "checkpoints"}
    for depth, place in enumerate(places):
        inside = folder.absolute().parts[-depth:] if depth else ("",)
        if is_run(place) and (depth == 0 or inside[0] == is_inside[depth]):
            return Run(place)
    return None


def was_trained_on_chats(run: Run | None) -> bool | None:
    """Whether the prompts of a run were chats; None where its data is not at hand to tell."""
    if run is None:
        return None
    with suppress(GpoError, ValueError):
        data = DataSpec.model_validate(run.settings["data"]).model_copy(update={"limit": 1, "streaming": False})
        if data.chat or data.system is not None:
            return True
        if is_at_hand(data.source):
            return isinstance(load_rows(data)[0]["prompt"], list)
    return None


def _draft(name: str, run: Run | None, overrides: Sequence[str], flags: Sequence[Assignment]) -> Draft:
    import os

    if run is not None:
        base = [Layer("default", {"algorithm": {"type": "grpo"}}), _brought(name, run)]
        return draft_spec([], overrides, flags, base, os.environ)
    context = None if name == EMBEDDED else context_of(model_folder(name))
    if context is not None and context <= _LONGEST:  # the default would leave no room for a prompt
        base = [Layer("default", {"algorithm": {"type": "grpo"}, "sampling": {"max_tokens": max(1, context // 2)}})]
        return draft_spec([], overrides, flags, base, os.environ)
    return draft_run_spec(SpecSources((), overrides, flags, None, os.environ))


def _brought(name: str, run: Run) -> Layer:
    """The settings of a run that bear on how its model is asked; its engine, adapter and quantization were training's.

    Raises SpecError where its spec cannot be read.
    """
    settings = run.settings
    model, sampling, data = (dict(settings.get(one) or {}) for one in ("model", "sampling", "data"))
    kept = ("dtype", "trust_remote_code", "attention", *(["revision"] if is_adapter(model_folder(name)) else []))
    options = (settings.get("trl") or {}).get("chat_template_kwargs")
    brought = {
        "model": {one: model[one] for one in kept if one in model},
        "sampling": {one: value for one, value in sampling.items() if one not in ("engine", "vllm")},
        "data": {one: data[one] for one in _OF_DATA if one in data},
        "trl": {"chat_template_kwargs": options} if options else {},
    }
    return Layer(str(run.spec_path), brought)
