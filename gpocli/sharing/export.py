"""Making a folder of a run's model that others load, and the card that goes with it."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from gpocli.errors import EnvironmentFault, SpecError
from gpocli.evaluation.folder import evaluations_in
from gpocli.evaluation.weights import fingerprint
from gpocli.runs.checkpoints import damage, latest_whole, read_manifest
from gpocli.runs.run import Run
from gpocli.sharing.card import CardFacts, render_card, versions_in
from gpocli.sharing.facts import facts_of_run
from gpocli.sharing.folder import WEIGHTS, base_of_adapter, copy_files, files_to_share, is_adapter, name_base
from gpocli.sharing.public import is_hub_id

CARD = "README.md"


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """What is wanted; None for `checkpoint` is the final model, for `dtype` the type that was saved.

    `base` is the hub id of the model that an adapter is for, where the run had it in a folder.
    """

    checkpoint: int | None = None
    merge: bool = False
    dtype: str | None = None
    base: str | None = None


@dataclass(frozen=True, slots=True)
class Exported:
    """A folder that was made: names of its files, their bytes, and what the user should know."""

    folder: Path
    is_adapter: bool
    files: list[str]
    size: int
    notes: list[str] = field(default_factory=list)


def source_of(run: Run, options: ExportOptions) -> Path:
    """The folder of the wanted weights. Raises `SpecError` where it is not there, is damaged, or does not suit."""
    source = run.model_path if options.checkpoint is None else _checkpoint(run, options.checkpoint)
    if options.checkpoint is None and not run.has_model:
        raise SpecError(f"'{run.path}' has no final model yet; {_instead(run)}")
    if not any(file.suffix == WEIGHTS for file in files_to_share(source)):
        raise SpecError(f"'{source}' holds no weights as safetensors; {_instead(run)}")
    if options.merge and not is_adapter(source):
        raise SpecError(f"'{source}' is a whole model, so there is nothing to merge; leave out --merge")
    if options.base is not None and (options.merge or not is_adapter(source)):
        raise SpecError("--base names the model that an adapter is for, and none is exported here; leave it out")
    return source


def refuse_private_base(source: Path, options: ExportOptions) -> None:
    """Raise `SpecError` for an adapter that nobody else could put on anything."""
    if is_adapter(source) and not options.merge and not is_hub_id(options.base or base_of_adapter(source)):
        raise SpecError(
            "the adapter is for a model in a folder of this machine, which nobody else has; write --merge, or --base "
            "with the hub id of that model"
        )


def export(run: Run, source: Path, target: Path, options: ExportOptions) -> Exported:
    """Make `target` from the weights in `source`, whole or not at all. Raises `GpoError`."""
    with _made(target) as part:
        merges = options.merge
        copy_files(source, part, weights=not merges)
        notes: list[str] = []
        if merges:
            from gpocli.sharing.weights import merge_adapter

            dtype = merge_adapter(source, base_of_adapter(source), run.spec.model, options.dtype, part)
            notes.append(f"adapter merged, weights in {dtype}")
        elif options.dtype is not None:
            from gpocli.sharing.weights import cast_weights

            cast_weights(part, options.dtype)
        facts = facts_of(run, source, options)
        if facts.is_adapter:
            facts, remark = _with_base(facts, part, options.base)
            notes += remark
        (part / CARD).write_text(render_card(facts), encoding="utf-8", newline="\n")
    files = [file for file in sorted(target.rglob("*")) if file.is_file()]
    names = [file.relative_to(target).as_posix() for file in files]
    return Exported(target, facts.is_adapter, names, sum(file.stat().st_size for file in files), notes)


def facts_of(run: Run, source: Path, options: ExportOptions) -> CardFacts:
    """What the card says: what the run's own card beside the weights says, and what was recorded since."""
    card = source / CARD
    return facts_of_run(
        run.name,
        run.spec,
        run.metrics(),
        sources=_sources(run, source),
        versions=versions_in(card.read_text(encoding="utf-8")) if card.is_file() else {},
        step=options.checkpoint,
        is_adapter=is_adapter(source) and not options.merge,
        evaluations=_evaluations(run, source, options.checkpoint),
    )


def _evaluations(run: Run, source: Path, step: int | None) -> list[dict[str, Any]]:
    """What was evaluated of the very weights in `source`: a run that went on since has others."""
    mine = [facts for _, facts in evaluations_in(run.evaluations_path) if facts.get("of_run") and facts["step"] == step]
    now = fingerprint(source) if mine else None
    return [facts for facts in mine if facts["weights"] == now]


def _with_base(facts: CardFacts, folder: Path, base: str | None) -> tuple[CardFacts, list[str]]:
    """The facts with the base that the adapter in `folder` names from now on, and a remark on one without a home."""
    named = name_base(folder, base)
    if is_hub_id(named):
        return replace(facts, base=named, base_is_public=True), []
    return facts, [f"the adapter names its base '{named}', a folder of this machine; --base names one that others have"]


def _checkpoint(run: Run, step: int) -> Path:
    found = {one.name: one for one in run.checkpoints}.get(f"checkpoint-{step}")
    if found is None:
        raise SpecError(f"'{run.path}' has no checkpoint {step}; {_instead(run)}")
    if (fault := damage(found)) is not None:
        raise SpecError(f"'{found}' is damaged ({fault}); take another checkpoint")
    return found


def _instead(run: Run) -> str:
    steps = [one.name.removeprefix("checkpoint-") for one in run.checkpoints]
    return f"it has checkpoints {', '.join(steps)}" if steps else "it has no checkpoint either"


def _sources(run: Run, source: Path) -> dict[str, str]:
    """The digests of code and data, as a checkpoint has them."""
    sealed = source if source != run.model_path else latest_whole(run.checkpoints_path)[0]
    try:
        return {} if sealed is None else dict(read_manifest(sealed)["sources"])
    except (OSError, ValueError):
        return {}


@contextmanager
def _made(target: Path) -> Iterator[Path]:
    """A folder beside `target` to write into, which becomes `target` when all went well."""
    if os.path.lexists(target) and not (target.is_dir() and not any(target.iterdir())):
        raise SpecError(f"'{target}' is there already; name another folder with --to")
    part = None
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        part = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
        yield part
        part.chmod(0o755)
        os.replace(part, target)
    except OSError as error:
        raise EnvironmentFault(
            f"cannot write '{target}' ({error.strerror or error}); name another with --to"
        ) from error
    finally:
        if part is not None:
            shutil.rmtree(part, ignore_errors=True)
