"""What of a spec may be shown to others: no path of this machine, no address of a server, no secret."""

import re
from pathlib import Path
from typing import Any

from gpocli.data.location import READABLE
from gpocli.embedded import EMBEDDED
from gpocli.spec import RunSpec

_HUB_ID = re.compile(r"[\w][\w.-]*/[\w][\w.-]*")
_SECRET = re.compile(r"(?i)(^|_)(token|secret|password|passwd|key|credentials?)$")
_OF_A_MACHINE = re.compile(r"^(/|~|\\\\|[A-Za-z]:[\\/]|file:)|(^|[\\/])\.\.([\\/]|$)")
HIDDEN = "not shown"


def is_hub_id(name: str) -> bool:
    """Whether others find a model or data set under `name`, rather than a file or folder of this machine."""
    if not _HUB_ID.fullmatch(name) or name.endswith((*READABLE, ".py")):
        return False
    return not Path(name).expanduser().exists()


def shown(text: str) -> str:
    """`text`, or its last part where it is a path that tells of this machine."""
    if not _OF_A_MACHINE.search(text):
        return text
    return re.split(r"[\\/]", text.rstrip("\\/"))[-1] or HIDDEN


def public_spec(spec: RunSpec) -> RunSpec:
    """The spec without the run directory, the server's address, absolute paths and secrets."""
    values = _public(spec.model_dump())
    values["run"]["dir"] = None
    if isinstance(server := values["sampling"].get("vllm"), dict):
        server.pop("url", None)
        server.pop("folder", None)
    return RunSpec.model_validate(values)


def base_name(name: str) -> str:
    """What a card calls the model that was trained."""
    return "the model that ships in gpo" if name == EMBEDDED else name if is_hub_id(name) else f"`{folder_name(name)}`"


def folder_name(name: str) -> str:
    """The last part of a path."""
    return Path(name).expanduser().resolve().name


def _public(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: HIDDEN if _is_secret(name, one) else _public(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_public(one) for one in value]
    return shown(value) if isinstance(value, str) else value


def _is_secret(name: object, value: object) -> bool:
    return isinstance(value, str) and bool(_SECRET.search(str(name)))
