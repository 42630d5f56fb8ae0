"""Experiment trackers: whether they are installed and know who the user is, before they ask on the keyboard."""

import netrc
import os
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit

from gpocli.checks.findings import Findings

_MODULES: dict[str, tuple[str, ...]] = {
    "azure_ml": ("azureml",),
    "comet_ml": ("comet_ml",),
    "dagshub": ("dagshub", "mlflow"),
    "flyte": ("flytekit",),
    "tensorboard": ("tensorboard", "tensorboardX"),
}
"""What a tracker is imported as, where that is not its name."""

_PACKAGES = {"azureml": "azureml-core", "comet_ml": "comet-ml"}
_EITHER = {"tensorboard"}

_KEYS = {"neptune": ("NEPTUNE_API_TOKEN", None), "comet_ml": ("COMET_API_KEY", "~/.comet.config")}
"""The variable that holds a tracker's key, and the file that may hold it instead."""


def check_trackers(findings: Findings) -> None:
    """Find trackers that are not installed, and those that would ask for a login."""
    if not findings.are_sound("run.trackers"):
        return
    for i, tracker in enumerate(findings.spec.run.trackers):
        if fault := missing_package(tracker) or _missing_key(tracker) or _missing_store(tracker):
            findings.add(f"run.trackers.{i}", fault, "environment")


def missing_package(tracker: str) -> str | None:
    """What is to be installed for `tracker`, or None."""
    modules = _MODULES.get(tracker, (tracker,))
    missing = [module for module in modules if find_spec(module) is None]
    if not missing or (tracker in _EITHER and len(missing) < len(modules)):
        return None
    package = _PACKAGES.get(missing[0], missing[0])
    return f"{package} is not installed; pip install {package}, or remove it"


def _missing_key(tracker: str) -> str | None:
    if tracker == "wandb":
        return (
            None
            if _wandb_is_ready()
            else (
                "wandb has no key and would ask for one; run wandb login, set WANDB_API_KEY, or set WANDB_MODE=offline"
            )
        )
    variable, file = _KEYS.get(tracker, (None, None))
    if variable is None or os.environ.get(variable) or (file is not None and Path(file).expanduser().is_file()):
        return None
    return f"{tracker} has no key; set {variable}, or remove it"


def _missing_store(tracker: str) -> str | None:
    """Why mlflow would refuse the place that it is to write to, which it tells only when training starts."""
    if tracker != "mlflow":
        return None
    scheme, colon, _ = os.environ.get("MLFLOW_TRACKING_URI", "sqlite:///mlflow.db").partition(":")
    allowed = os.environ.get("MLFLOW_ALLOW_FILE_STORE", "").lower() in ("true", "1")
    if scheme == "sqlite" and find_spec("sqlalchemy") is None:
        return (
            "mlflow writes to a database, for which sqlalchemy is not installed; pip install sqlalchemy alembic, or "
            "set MLFLOW_TRACKING_URI"
        )
    if (not colon or scheme == "file") and not allowed and _mlflow_refuses_files():
        return (
            "this mlflow writes to a folder only if it is told to; set MLFLOW_ALLOW_FILE_STORE=true, or "
            "MLFLOW_TRACKING_URI=sqlite:///mlflow.db"
        )
    return None


def _mlflow_refuses_files() -> bool:
    """Whether the installed version knows the variable; it takes seconds to import."""
    spec = find_spec("mlflow")
    places = list(spec.submodule_search_locations or []) if spec is not None else []
    files = [Path(place) / "environment_variables.py" for place in places]
    return any(file.is_file() and "MLFLOW_ALLOW_FILE_STORE" in file.read_text(encoding="utf-8") for file in files)


def _wandb_is_ready() -> bool:
    if os.environ.get("WANDB_MODE", "").lower() in ("offline", "disabled", "dryrun"):
        return True
    if os.environ.get("WANDB_API_KEY") or os.environ.get("WANDB_IDENTITY_TOKEN_FILE"):
        return True
    host = urlsplit(os.environ.get("WANDB_BASE_URL", "https://api.wandb.ai")).hostname or ""
    named = os.environ.get("NETRC")
    files = [Path(named)] if named else [Path.home() / name for name in (".netrc", "_netrc")]
    return any(_knows(file.expanduser(), host) for file in files)


def _knows(file: Path, host: str) -> bool:
    try:
        return netrc.netrc(str(file)).authenticators(host) is not None
    except (OSError, netrc.NetrcParseError):
        return False
