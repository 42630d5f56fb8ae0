"""The `model` section: which model is trained, in which precision, with or without an adapter."""

from typing import Annotated, Literal

from pydantic import Field

from gpocli.settings.section import Section, rule
from gpocli.settings.setting import Flag, Setting


class LoraSpec(Section):
    """A low-rank adapter (arXiv 2106.09685), trained in place of the model's own weights."""

    rank: Annotated[int, Field(ge=1, le=4096), Setting(aliases=("lora_r",))] = 16
    """Rank of the update matrices; 1 to 4096."""
    alpha: Annotated[float, Field(gt=0, le=65536), Setting(aliases=("lora_alpha",))] = 32.0
    """Scale of the update, divided by `rank`; above 0, at most 65536."""
    dropout: Annotated[float, Field(ge=0, lt=1), Setting(aliases=("lora_dropout",))] = 0.0
    """Share of the adapter's inputs dropped in training; 0 to below 1."""
    target_modules: Annotated[list[str] | Literal["all-linear"], Setting(aliases=("lora_target_modules",))] = (
        "all-linear"
    )
    """Names of the layers that get an adapter, or `all-linear`."""

    @rule("target_modules")
    def some_module_is_adapted(self) -> str | None:
        return None if self.target_modules else "names no layer; write all-linear, or a list of layer names"


class ModelSpec(Section):
    """The policy."""

    name: Annotated[
        str,
        Field(min_length=1),
        Setting(aliases=("model_name", "model_name_or_path", "model_path"), flag=Flag("--model", "Folder, run or id")),
    ] = "embedded"
    """A folder, a run directory for its final model, a hub id, or `embedded` for the model in the package."""
    revision: Annotated[str | None, Field(min_length=1), Setting("model_init_kwargs.revision", unless=None)] = None
    """Branch, tag or commit of a hub id; null: the main one."""
    dtype: Annotated[
        Literal["auto", "float32", "bfloat16", "float16"],
        Setting(
            "model_init_kwargs.dtype", unless="auto", owns=("model_init_kwargs.torch_dtype",), aliases=("torch_dtype",)
        ),
    ] = "auto"
    """Type of the weights in memory; `auto`: float32, computed in bfloat16 on a GPU that has it."""
    lora: Annotated[LoraSpec | None, Setting(aliases=("peft", "use_peft"))] = None
    """Adapter to train; null: train all weights."""
    quantization: Annotated[
        Literal["4bit", "8bit"] | None,
        Setting(owns=("model_init_kwargs.quantization_config",), aliases=("load_in_4bit", "load_in_8bit")),
    ] = None
    """Precision of the frozen weights under an adapter; null: not quantized."""
    trust_remote_code: Annotated[bool, Setting("trust_remote_code", owns=("model_init_kwargs.trust_remote_code",))] = (
        False
    )
    """Run the Python code that comes with the model."""
    attention: Annotated[
        str | None,
        Field(min_length=1),
        Setting("model_init_kwargs.attn_implementation", unless=None, aliases=("attn_implementation",)),
    ] = None
    """Attention implementation of transformers, such as `sdpa`; null: its choice."""

    @rule("quantization", "lora")
    def quantized_weights_have_an_adapter(self) -> str | None:
        if self.quantization and self.lora is None:
            return f"{self.quantization} weights cannot be trained; write lora: {{rank: 16}} as well"
        return None
