"""How good and how wordy a model is at the embedded task: the figures beside the weights come from here."""

import math
from dataclasses import dataclass
from typing import Any, Literal

from transformers import PreTrainedModel, PreTrainedTokenizerBase

from gpocli.embedded.task import rows
from gpocli.rollout import SamplingRequest, SamplingSettings, sample_groups

PromptKind = Literal["chat", "plain"]
END_OF_THINKING = "</think>"


@dataclass(frozen=True, slots=True)
class Measurement:
    """One sampled completion a problem of the eval split, at temperature 1 and nothing cut from the distribution."""

    problems: int
    accuracy: float
    """Share of right answers."""
    standard_error: float
    """Of the accuracy."""
    mean_length: float
    """Tokens the model wrote, its end token included."""
    truncated: float
    """Share of completions cut at the token limit."""


def render(row: dict[str, Any], tokenizer: PreTrainedTokenizerBase, kind: PromptKind) -> str:
    """The prompt of a row as the model reads it: through the chat template, or the bare question."""
    if kind == "plain":
        return str(row["prompt"][0]["content"])
    return str(tokenizer.apply_chat_template(row["prompt"], add_generation_prompt=True, tokenize=False))


def is_right(completion: str, answer: str) -> bool:
    """Whether what follows the thinking is `answer` and nothing else; thinking that never ends is wrong."""
    _, end, stated = completion.rpartition(END_OF_THINKING)
    return bool(end) and stated.strip() == answer


def measure(
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerBase,
    problems: int = 512,
    *,
    kind: PromptKind = "chat",
    max_new_tokens: int = 256,
    seed: int = 0,
) -> Measurement:
    """Sample an answer to each of the first `problems` rows of the eval split and count; `seed` fixes the sampling."""
    asked = rows("eval", problems)
    prompts = [render(row, tokenizer, kind) for row in asked]
    settings = SamplingSettings(
        max_new_tokens=max_new_tokens,
        eos_token_ids=(tokenizer.eos_token_id,),
        pad_token_id=tokenizer.pad_token_id,
    )
    rollout = sample_groups(model, SamplingRequest(tokenizer(prompts)["input_ids"], 1, settings, seed=seed))
    texts = tokenizer.batch_decode(rollout.completion_ids, skip_special_tokens=True)
    right = sum(is_right(text, row["answer"]) for text, row in zip(texts, asked, strict=True))
    accuracy = right / problems
    return Measurement(
        problems=problems,
        accuracy=accuracy,
        standard_error=math.sqrt(accuracy * (1 - accuracy) / problems),
        mean_length=sum(map(len, rollout.completion_ids)) / problems,
        truncated=1 - sum(rollout.finished) / problems,
    )
