"""Weights that are spread over processes: spread as was asked, and whole where they are saved."""

from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any

from gpocli.errors import EnvironmentFault

_KINDS = {"FSDP": ("fsdp", "ACCELERATE_USE_FSDP"), "DEEPSPEED": ("deepspeed", "ACCELERATE_USE_DEEPSPEED")}
"""The types that accelerate calls so, the options of TRL that ask for them, and the variables of its launcher."""


def asked_for(options: Mapping[str, Any], environment: Mapping[str, str]) -> dict[str, str]:
    """Which ways to spread weights were asked for, and by what."""
    found = {}
    for kind, (option, variable) in _KINDS.items():
        if options.get(option):
            found[kind] = f"trl.{option}"
        elif environment.get(variable, "").lower() in ("true", "1", "yes"):
            found[kind] = f"{variable}, of accelerate launch"
    return found


def require_packages(asked: Mapping[str, str]) -> None:
    """Raise `EnvironmentFault` where DeepSpeed was asked for and is not installed."""
    if "DEEPSPEED" in asked and find_spec("deepspeed") is None:
        raise EnvironmentFault(
            f"DeepSpeed was asked for ({asked['DEEPSPEED']}), which is not installed; pip install 'gpocli[deepspeed]'"
        )


def refuse_another_kind(asked: Mapping[str, str], got: str) -> None:
    """Raise `EnvironmentFault` where accelerate spreads weights in another way, as it does on CPUs, in silence."""
    for kind, by_what in asked.items():
        if kind != got:
            name = kind.replace("DEEPSPEED", "DeepSpeed")
            raise EnvironmentFault(
                f"{name} was asked for ({by_what}), but accelerate leaves it out here ({got}): take it away, or start "
                "the run with accelerate launch or torchrun on GPUs"
            )


def save_whole_weights(accelerator: Any) -> None:
    """Let ZeRO-3 gather its weights when it saves a model, which DeepSpeed does only when it is told to."""
    plugin = getattr(accelerator.state, "deepspeed_plugin", None)
    if plugin is not None and plugin.zero_stage == 3:
        plugin.hf_ds_config.config["zero_optimization"]["stage3_gather_16bit_weights_on_model_save"] = True
