"""The parameter tensors of a model, as far as its memory is concerned."""

import re
from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from math import prod
from typing import Any, Literal

Header = dict[str, dict[str, Any]]
"""Of a checkpoint in safetensors: for each tensor its `dtype` and `shape`."""

_EMBEDDINGS = ("wte", "wpe")
_ROUTERS = ("gate", "router")
_BUFFER = re.compile(r"\.(inv_freq|masked_bias|e_score_correction_bias)$")
_LAYER = re.compile(r"(?:model\.)?layers\.(\d+)\.")
_EXPERT = re.compile(r"(.+\.experts)\.\d+\.(\w+)\.weight")
_GATE_AND_UP = ("gate_proj", "up_proj", "w1", "w3")


@dataclass(frozen=True, slots=True)
class Weight:
    """A parameter tensor that is there `count` times. `name` is the last part of its module's name.

    The matrices of the experts of a layer are one tensor of three axes, gate and up in one, as transformers has them.
    """

    name: str
    shape: tuple[int, ...]
    count: int = 1

    @property
    def numel(self) -> int:
        """Elements in all `count` of them."""
        return prod(self.shape) * self.count

    @property
    def is_linear(self) -> bool:
        """Whether it is of a linear layer: what adapters are put on, and what quantization packs."""
        return len(self.shape) == 2 and "embed" not in self.name and self.name not in (*_EMBEDDINGS, *_ROUTERS)

    @property
    def is_routed(self) -> bool:
        """Whether it is of the experts of a layer, or chooses among them."""
        return len(self.shape) == 3 or self.name in _ROUTERS

    def is_adapted(self, targets: list[str] | Literal["all-linear"], *, experts: bool) -> bool:
        """Whether PEFT puts an adapter on it; `experts`: whether `all-linear` means those too in its model."""
        if targets == "all-linear":  # which leaves the output layer out
            return (self.is_linear and self.name != "lm_head") or (experts and self.is_routed)
        return self.is_linear and self.name in {name.rpartition(".")[2] for name in targets}

    def adapter(self, rank: int) -> tuple["Weight", "Weight"]:
        """The two matrices of a low-rank adapter for it; each expert has its own, in one tensor."""
        in_one = 2 if self.is_routed and self.name == "gate_up_proj" else 1  # PEFT gives each of the two its rank
        width = rank * in_one * prod(self.shape[:-2])
        return (
            Weight("lora_A", (width, self.shape[-1]), self.count),
            Weight("lora_B", (self.shape[-2], width), self.count),
        )


def weights_of(header: Header, *, layers: int, tied: bool) -> tuple[Weight, ...]:
    """The parameters that a model of so many layers has when it is loaded from a checkpoint.

    `tied` says whether its output layer is its embedding, which some checkpoints hold twice.
    """
    weights: Counter[Weight] = Counter()
    experts: dict[tuple[str, str], list[tuple[str, list[int]]]] = defaultdict(list)
    for name, entry in header.items():
        shape = entry["shape"]
        is_copy = tied and name == "lm_head.weight" and sum(other["shape"] == shape for other in header.values()) > 1
        if is_copy or not _is_parameter(name, entry, layers):
            continue
        if expert := _EXPERT.fullmatch(name):
            module, part = expert.groups()
            experts[module, "gate_up_proj" if part in _GATE_AND_UP else part].append((part, shape))
        else:
            weights[Weight(re.sub(r"\.(weight|bias)$", "", name).rpartition(".")[2], tuple(shape))] += 1
    for (_, name), matrices in experts.items():
        in_one = len({part for part, _ in matrices})
        rows, columns = matrices[0][1]
        weights[Weight(name, (len(matrices) // in_one, in_one * rows, columns))] += 1
    return tuple(replace(weight, count=count) for weight, count in weights.items())


def _is_parameter(name: str, entry: dict[str, Any], layers: int) -> bool:
    """Whether a tensor is trained; checkpoints also hold buffers, and layers that only other programs use."""
    layer = _LAYER.match(name)
    if name.startswith("mtp.") or (layer and int(layer[1]) >= layers):
        return False
    axes = len(entry["shape"])
    is_buffer = "F" not in entry["dtype"] or axes == 0 or _BUFFER.search(name)
    is_mask = name.endswith(".bias") and axes > 1
    return not is_buffer and not is_mask
