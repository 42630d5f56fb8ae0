"""The `model` section: which model is trained, in which precision, with or without an adapter."""

from typing import Literal

from pydantic import Field

from gpocli.settings.section import Section, rule


class LoraSpec(Section):
    """A low-rank adapter (arXiv 2106.09685), trained in place of the model's own weights."""

    rank: int = Field(default=16, ge=1, le=4096)
    """Rank of the update matrices; 1 to 4096."""
    alpha: float = Field(default=32.0, gt=0, le=65536)
    """Scale of the update, divided by `rank`; above 0, at most 65536."""
    dropout: float = Field(default=0.0, ge=0, lt=1)
    """Share of the adapter's inputs dropped in training; 0 to below 1."""
    target_modules: list[str] | Literal["all-linear"] = "all-linear"
    """Names of the layers that get an adapter, or `all-linear`."""

    @rule("target_modules")
    def some_module_is_adapted(self) -> str | None:
        return None if self.target_modules else "names no layer; write all-linear, or a list of layer names"


class ModelSpec(Section):
    """The policy."""

    name: str = Field(default="embedded", min_length=1)
    """A folder, a hub id, or `embedded` for the model in the package."""
    revision: str | None = Field(default=None, min_length=1)
    """Branch, tag or commit of a hub id; null: the main one."""
    dtype: Literal["auto", "float32", "bfloat16", "float16"] = "auto"
    """Type of the weights in memory; `auto`: float32, computed in bfloat16 on a GPU that has it."""
    lora: LoraSpec | None = None
    """Adapter to train; null: train all weights."""
    quantization: Literal["4bit", "8bit"] | None = None
    """Precision of the frozen weights under an adapter; null: not quantized."""
    trust_remote_code: bool = False
    """Run the Python code that comes with the model."""
    attention: str | None = Field(default=None, min_length=1)
    """Attention implementation of transformers, such as `sdpa`; null: its choice."""

    @rule("quantization", "lora")
    def quantized_weights_have_an_adapter(self) -> str | None:
        if self.quantization and self.lora is None:
            return f"{self.quantization} weights cannot be trained; write lora: {{rank: 16}} as well"
        return None
