"""The `sampling` section: how completions are drawn from the policy."""

from typing import Annotated, Literal

from pydantic import Field

from gpocli.settings.section import Section
from gpocli.settings.setting import Flag, Setting


class SamplingSpec(Section):
    """Sampling settings of training; they win over the model's own generation config."""

    temperature: Annotated[
        float,
        Field(gt=0, le=100),
        Setting("temperature", owns=("generation_kwargs.temperature",), flag=Flag("--temperature", "Of sampling")),
    ] = 1.0
    """Divisor of the logits; above 0, at most 100."""
    top_p: Annotated[float, Field(gt=0, le=1), Setting("top_p", owns=("generation_kwargs.top_p",))] = 1.0
    """Probability mass of the likeliest tokens to draw from; above 0, at most 1 (all)."""
    top_k: Annotated[int, Field(ge=0), Setting("top_k", owns=("generation_kwargs.top_k",))] = 0
    """Number of likeliest tokens to draw from; 0: all."""
    min_p: Annotated[float | None, Field(ge=0, le=1), Setting("min_p", owns=("generation_kwargs.min_p",))] = None
    """Least probability of a token, as a share of the likeliest one's; 0 to 1; null: no limit."""
    repetition_penalty: Annotated[
        float, Field(gt=0, le=100), Setting("repetition_penalty", owns=("generation_kwargs.repetition_penalty",))
    ] = 1.0
    """Factor against tokens that are there already; above 0, at most 100; 1: none."""
    max_tokens: Annotated[
        int,
        Field(ge=1, le=1_000_000),
        Setting(
            "max_completion_length",
            owns=("generation_kwargs.max_new_tokens",),
            aliases=("max_length", "max_new_tokens"),
            flag=Flag("--max-tokens", "Longest completion"),
        ),
    ] = 1024
    """Longest completion in tokens, the end token included; 1 to 1000000."""
    engine: Annotated[
        Literal["auto", "race", "generate", "continuous", "vllm"],
        Setting(
            derived={
                "use_vllm": lambda engine: engine == "vllm",
                "use_transformers_continuous_batching": lambda engine: engine == "continuous",
                "rollout": lambda engine: engine if engine in ("race", "generate") else "auto",
            },
            owns=("use_transformers_paged",),
        ),
    ] = "auto"
    """What samples: `race` and `generate` use transformers, `continuous` its continuous batching."""
