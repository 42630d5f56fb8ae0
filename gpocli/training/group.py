"""The process group of a run, opened as its options say."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from accelerate import PartialState


def open_group(options: Mapping[str, Any], count: int) -> None:
    """Open the group of a run of `count` processes where transformers would open it without `ddp_timeout`: on CPUs.

    Everywhere else the trainer config opens it with all its options. Raises ValueError for a backend that is not there.
    """
    if count > 1 and options.get("use_cpu"):
        backend, seconds = options.get("ddp_backend"), options.get("ddp_timeout")
        timeout = {} if seconds is None else {"timeout": timedelta(seconds=float(seconds))}
        PartialState(cpu=True, backend=backend, **timeout)
