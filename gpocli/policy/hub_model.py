"""A model of a hub before anything of it is fetched: what the cache holds, and what the hub says. Free of torch."""

import json
import shutil
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from gpocli.data.hub import go_offline_if_unreachable
from gpocli.errors import EnvironmentFault, SpecError, first_line
from gpocli.settings.model import ModelSpec

_CONFIGS = ("config.json", "adapter_config.json")
_WEIGHTS = (".safetensors", ".bin")
_INDEX = (".safetensors.index.json", ".bin.index.json")
_TOKENIZER = ("tokenizer", "vocab", "merges", "spiece", "sentencepiece")
_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Fetch:
    """What a run will fetch first, in bytes; None where the hub does not tell."""

    size: int | None


def cached_folder(model: ModelSpec) -> Path | None:
    """The folder of a hub id in the cache, whole or not. Raises `SpecError` for what can be no hub id."""
    from huggingface_hub import try_to_load_from_cache
    from huggingface_hub.errors import HFValidationError

    for name in _CONFIGS:
        try:
            found = try_to_load_from_cache(model.name, name, revision=model.revision)
        except HFValidationError as error:
            raise SpecError(f"'{model.name}' is neither a folder nor a hub id ({first_line(error)})") from error
        if isinstance(found, str):
            return Path(found).parent
    return None


def lacking(names: Iterable[str]) -> list[str]:
    """What a model needs and files with these names do not give, in words; an adapter has the tokenizer of its base."""
    names = list(names)
    is_adapter = "adapter_config.json" in names and "config.json" not in names
    wanted = {
        "config.json": any(name in _CONFIGS for name in names),
        "weights": any(name.endswith(_WEIGHTS) for name in names),
        "tokenizer files": is_adapter or any(name.startswith(_TOKENIZER) for name in names),
    }
    return [what for what, is_there in wanted.items() if not is_there]


def lacking_in(folder: Path | None) -> list[str]:
    """What the cached files of a model do not give; parts of the weights that their index names are told by name."""
    if folder is None:
        return lacking(())
    names = [file.name for file in folder.iterdir() if file.is_file()]
    parts: set[str] = set()
    for index in (name for name in names if name.endswith(_INDEX)):
        with suppress(OSError, ValueError, AttributeError):
            parts |= set(json.loads((folder / index).read_bytes())["weight_map"].values())
    if parts and parts.isdisjoint(names):
        return [*lacking(name for name in names if not name.endswith(_WEIGHTS))]
    return [*lacking(names), *sorted(parts.difference(names))[:3]]


def ask_for(model: ModelSpec) -> Fetch | None:
    """See that a model can be had: None for one that the cache holds whole, else what the hub says of it.

    Raises `SpecError` for a name or revision that the hub does not know, and `EnvironmentFault` for a model that it
    does not give to this user, for a hub that does not answer, and for a disk without room.
    """
    gap = lacking_in(cached_folder(model))
    if not gap:
        return None
    from huggingface_hub import constants

    if go_offline_if_unreachable() or constants.HF_HUB_OFFLINE:
        why = "HF_HUB_OFFLINE is set, or the hub has no address here"
        raise EnvironmentFault(_not_here(model, gap, why))
    return _asked(model, gap)


def _asked(model: ModelSpec, gap: list[str]) -> Fetch:
    from huggingface_hub import HfApi, constants
    from huggingface_hub.errors import GatedRepoError, RepositoryNotFoundError, RevisionNotFoundError

    api = HfApi()
    try:
        info = api.model_info(model.name, revision=model.revision, files_metadata=True, timeout=_SECONDS)
        if info.gated:
            api.auth_check(model.name)
    except GatedRepoError as error:
        raise EnvironmentFault(
            f"'{model.name}' is given to those alone who took its terms: take them at "
            f"{constants.ENDPOINT}/{model.name}, then run hf auth login"
        ) from error
    except RevisionNotFoundError as error:
        raise SpecError(f"'{model.name}' has no revision '{model.revision}'; check model.revision") from error
    except RepositoryNotFoundError as error:
        raise SpecError(
            f"the hub has no model '{model.name}', or not for you; check the name, or run hf auth login"
        ) from error
    except Exception as error:  # of the client's HTTP library, which is another one in each of its versions
        raise EnvironmentFault(_not_here(model, gap, first_line(error))) from error
    sizes = {one.rfilename: one.size for one in info.siblings or []}
    if gap := lacking(name for name in sizes if "/" not in name):
        raise SpecError(f"'{model.name}' on the hub has no {' and no '.join(gap)}; name another model")
    needed = [size for name, size in sizes.items() if not name.endswith(".bin") or not _has_safetensors(sizes)]
    return _with_room(model, sum(size for size in needed if size) or None)


def _has_safetensors(names: Iterable[str]) -> bool:
    return any(name.endswith(".safetensors") for name in names)


def _with_room(model: ModelSpec, size: int | None) -> Fetch:
    from huggingface_hub import constants

    folder = Path(constants.HF_HUB_CACHE)
    standing = next(parent for parent in (folder, *folder.parents) if parent.is_dir())
    free = shutil.disk_usage(standing).free
    if size is not None and size > free:
        raise EnvironmentFault(
            f"'{model.name}' has {_gigabytes(size)}, but '{folder}' has room for {_gigabytes(free)}; make room, or "
            "name another place as HF_HOME"
        )
    return Fetch(size)


def _gigabytes(size: int) -> str:
    return f"{size / 1e9:.1f} GB"


def fetch_note(model: ModelSpec, fetch: Fetch) -> str:
    """What a user should know of it."""
    much = "" if fetch.size is None else f", {_gigabytes(fetch.size)} at most"
    return f"'{model.name}' is fetched from the hub when the run starts{much}"


def _not_here(model: ModelSpec, gap: list[str], why: str) -> str:
    revision = f" --revision {model.revision}" if model.revision else ""
    return (
        f"'{model.name}' is not whole in the cache (missing: {', '.join(gap)}), and is not fetched ({why}); fetch it "
        f"where there is a connection: hf download {model.name}{revision}"
    )
