"""The adapter that a run trains, whole and on its own, for an engine that adds it to the base model by itself."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file

from gpocli.errors import SpecError
from gpocli.trainers.gathering import spread_by


@dataclass(frozen=True, slots=True)
class Adapter:
    """Weights by the names that PEFT gives them in a file, on the CPU, and PEFT's config."""

    config: Any
    tensors: Mapping[str, torch.Tensor]

    def write(self, folder: Path) -> None:
        """As PEFT saves one. Raises `OSError`."""
        folder.mkdir()
        save_file(dict(self.tensors), folder / "adapter_model.safetensors")
        self.config.save_pretrained(str(folder))


def adapter_of(trainer: Any) -> Adapter:
    """The adapter of the policy as it is now. All processes must call it together."""
    from peft import get_peft_model_state_dict

    model = trainer.accelerator.unwrap_model(trainer.model, keep_torch_compile=False)
    own = {name: weights for name, weights in model.named_parameters() if model.prefix in name}
    with _whole(trainer, own) as whole:
        tensors = get_peft_model_state_dict(model, whole, model.active_adapter, save_embedding_layers=False)
        copies = {name: tensor.detach().to("cpu", copy=True).contiguous() for name, tensor in tensors.items()}
    return Adapter(config_of(model), copies)


def config_of(model: Any) -> Any:
    """PEFT's config of the adapter of `model`. Raises `SpecError` where there is none, or it is not LoRA."""
    configs = getattr(model, "peft_config", {})
    if not configs or configs[model.active_adapter].peft_type != "LORA":
        raise SpecError(
            "vllm_sync='lora' sends a LoRA adapter alone, and the run trains none: write vllm_sync='plugin', or give "
            "the trainer a LoraConfig (model.lora)"
        )
    return configs[model.active_adapter]


def rank_of(model: Any) -> int:
    """The highest rank of the adapter's matrices."""
    config = config_of(model)
    return int(max(config.r, *config.rank_pattern.values())) if config.rank_pattern else int(config.r)


@contextmanager
def _whole(trainer: Any, weights: Mapping[str, Any]) -> Iterator[dict[str, torch.Tensor]]:
    kind = spread_by(trainer)
    if kind == "FSDP1":
        raise SpecError("vllm_sync='lora' does not work with FSDP1, which hides the adapter; use fsdp_version: 2")
    if kind == "ZeRO-3":
        import deepspeed

        with deepspeed.zero.GatheredParameters(list(weights.values())):
            yield dict(weights)
    else:
        yield {name: one.full_tensor() if kind == "FSDP2" else one for name, one in weights.items()}
