"""Weights that are spread over processes, and whole while a model samples."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from torch import nn


def spread_by(trainer: Any) -> str | None:
    """What spreads the weights of the policy over processes; None where each process has all of them."""
    state = trainer.accelerator.state
    if trainer.is_deepspeed_enabled:
        return "ZeRO-3" if state.deepspeed_plugin.zero_stage == 3 else None  # 1 and 2 spread other things
    if trainer.is_fsdp_enabled:
        return "FSDP2" if trainer.accelerator.is_fsdp2 else "FSDP1"
    return None


def why_not_gathered(trainer: Any) -> str | None:
    """Why gpo's loop cannot have whole weights, in one line; None where it can."""
    kind = spread_by(trainer)
    if kind == "FSDP1":
        return "FSDP1 spreads the weights; FSDP2 can gather them (fsdp_version: 2)"
    if kind is not None and not trainer.args.ds3_gather_for_generation:
        return f"{kind} spreads the weights, and they are not to be gathered (sampling.gather)"
    return None


@contextmanager
def gathered(trainer: Any) -> Iterator[nn.Module]:
    """The policy with whole weights in this process. All processes must enter together; inside, none waits."""
    whole: nn.Module = trainer.accelerator.unwrap_model(trainer.model_wrapped, keep_torch_compile=False)
    kind = spread_by(trainer)
    if kind == "ZeRO-3":
        with _gathered_by_deepspeed(trainer.model_wrapped):
            yield whole
    elif kind == "FSDP2":
        with _gathered_by_fsdp(whole, bool(trainer.accelerator.state.fsdp_plugin.reshard_after_forward)):
            yield whole
    else:
        yield whole


@contextmanager
def _gathered_by_deepspeed(engine: Any) -> Iterator[None]:
    import deepspeed
    from trl.models.utils import add_hooks, remove_hooks

    with deepspeed.zero.GatheredParameters(list(engine.parameters())):
        remove_hooks(engine)  # which give weights away after each layer
        try:
            yield
        finally:
            add_hooks(engine)


@contextmanager
def _gathered_by_fsdp(model: nn.Module, gives_away: bool) -> Iterator[None]:
    """`gives_away` is whether layers give their weights away after a pass in training."""
    from torch.distributed.fsdp import FSDPModule

    parts = [module for module in model.modules() if isinstance(module, FSDPModule)]
    for part in parts:
        part.set_reshard_after_forward(False, recurse=False)
        part.unshard()
    try:
        yield
    finally:
        for part in parts:
            part.set_reshard_after_forward(gives_away, recurse=False)
            part.reshard()
