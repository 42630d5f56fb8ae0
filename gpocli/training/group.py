"""The process group of a run, opened as its options say."""

import os
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

from accelerate import PartialState

_DEEPSPEED = "ACCELERATE_USE_DEEPSPEED"


def open_group(options: Mapping[str, Any], count: int, spread: Collection[str] = ()) -> dict[str, Any]:
    """Open the group of a run of `count` processes where transformers would not open it as it should: on CPUs.

    There it would drop `ddp_timeout`, and DeepSpeed, if that is among the ways in which weights are `spread`. Returns
    the options with which the trainer config takes the group as it is. Raises ValueError for a
    backend that is not there.
    """
    if count == 1 or not options.get("use_cpu"):
        return dict(options)
    seconds, backend = options.get("ddp_timeout"), options.get("ddp_backend")
    timeout = {} if seconds is None else {"timeout": timedelta(seconds=float(seconds))}
    if "DEEPSPEED" not in spread:
        PartialState(cpu=True, backend=backend, **timeout)
        return dict(options)
    # accelerate leaves DeepSpeed out where it is told of CPUs, and else knows no backend for them.
    os.environ.setdefault("DS_ACCELERATOR", "cpu")
    with _set(_DEEPSPEED, "true"):
        PartialState(backend=backend or "gloo", **timeout)
    as_it_is = {**(options.get("accelerator_config") or {}), "use_configured_state": True}
    return {**options, "use_cpu": False, "accelerator_config": as_it_is}


@contextmanager
def _set(name: str, value: str) -> Iterator[None]:
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before
