"""The `sampling` section: how completions are drawn from the policy."""

from typing import Literal

from pydantic import Field

from gpocli.settings.section import Section


class SamplingSpec(Section):
    """Sampling settings of training; they win over the model's own generation config."""

    temperature: float = Field(default=1.0, gt=0, le=100)
    """Divisor of the logits; above 0, at most 100."""
    top_p: float = Field(default=1.0, gt=0, le=1)
    """Probability mass of the likeliest tokens to draw from; above 0, at most 1 (all)."""
    top_k: int = Field(default=0, ge=0)
    """Number of likeliest tokens to draw from; 0: all."""
    min_p: float | None = Field(default=None, ge=0, le=1)
    """Least probability of a token, as a share of the likeliest one's; 0 to 1; null: no limit."""
    repetition_penalty: float = Field(default=1.0, gt=0, le=100)
    """Factor against tokens that are there already; above 0, at most 100; 1: none."""
    max_tokens: int = Field(default=1024, ge=1, le=1_000_000)
    """Longest completion in tokens, the end token included; 1 to 1000000."""
    engine: Literal["auto", "race", "generate", "continuous", "vllm"] = "auto"
    """What samples: `race` and `generate` use transformers, `continuous` its continuous batching."""
