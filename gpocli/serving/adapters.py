"""Adapters that a vLLM engine adds to its model by itself (`sampling.vllm.sync: lora`)."""

from gpocli.settings.sampling import VLLM_RANKS

ADAPTERS_AT_A_TIME = 1
"""Whose weights the engine holds: a new one takes the place of the last."""


def rank_of_engine(rank: int) -> int:
    """The `max_lora_rank` of an engine for adapters of `rank`: vLLM takes some numbers only, and pads to it."""
    return next(highest for highest in VLLM_RANKS if highest >= rank)
