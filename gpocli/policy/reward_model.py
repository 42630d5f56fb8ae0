"""A reward model with its tokenizer, and its scores as TRL computes them. Imports torch."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from transformers import AutoConfig, AutoModelForSequenceClassification, AutoTokenizer

from gpocli.data.hub import go_offline_if_unreachable
from gpocli.embedded import model_folder
from gpocli.errors import EnvironmentFault, SpecError, first_line
from gpocli.policy.reward_files import why_no_reward_model
from gpocli.policy.sound import require_finite

_AT_ONCE = 16
"""Texts of one pass."""


def load_reward_model(path: str, revision: str | None, dtype: str) -> tuple[Any, Any]:
    """The model, ready to score, and its tokenizer, which can pad.

    Raises `SpecError` for a model that gives no single score, and `EnvironmentFault` for one that cannot be had.
    """
    folder = model_folder(path)
    if not folder.is_dir():
        go_offline_if_unreachable()
    place = str(folder.absolute()) if folder.is_dir() else path
    with _loading(path):
        config = AutoConfig.from_pretrained(place, revision=revision)
    if fault := why_no_reward_model(path, config.to_dict()):
        raise SpecError(fault)
    with _loading(path):
        tokenizer = AutoTokenizer.from_pretrained(place, revision=revision)
        model = AutoModelForSequenceClassification.from_pretrained(place, num_labels=1, revision=revision, dtype=dtype)
    if tokenizer.pad_token_id is None:
        if tokenizer.eos_token is None:
            raise SpecError(f"the tokenizer of '{path}' has no pad and no end token; give it one of the two")
        tokenizer.pad_token = tokenizer.eos_token
    model.config.get_text_config().pad_token_id = tokenizer.pad_token_id  # the score is that of the last other token
    require_finite(path, model.named_parameters())
    return model.eval(), tokenizer


@contextmanager
def _loading(path: str) -> Iterator[None]:
    try:
        yield
    except (OSError, ValueError, RuntimeError) as error:
        raise EnvironmentFault(
            f"cannot load the reward model '{path}' ({first_line(error)}); check the name and the connection, or name "
            "a folder"
        ) from error


def scorer(path: str, revision: str | None, dtype: str) -> Callable[[Sequence[Any], Sequence[Any]], list[float]]:
    """The function that scores prompts with their completions, on the CPU; raises as `load_reward_model`."""
    model, tokenizer = load_reward_model(path, revision, dtype)

    def score(prompts: Sequence[Any], completions: Sequence[Any]) -> list[float]:
        texts = [_text(tokenizer, path, *pair) for pair in zip(prompts, completions, strict=True)]
        batches = [texts[start : start + _AT_ONCE] for start in range(0, len(texts), _AT_ONCE)]
        return [value for batch in batches for value in _scores(model, tokenizer, batch)]

    return score


def _scores(model: Any, tokenizer: Any, texts: list[str]) -> list[float]:
    inputs = tokenizer(
        text=texts, return_tensors="pt", padding=True, padding_side="right", add_special_tokens=False
    )  # the template has written them
    with torch.inference_mode():
        return [float(value) for value in model(**inputs).logits[:, 0]]


def _text(tokenizer: Any, path: str, prompt: Any, completion: Any) -> str:
    if isinstance(prompt, str):
        return prompt + str(completion)
    if tokenizer.chat_template is None:
        raise SpecError(f"the tokenizer of '{path}' has no chat template, so it cannot score messages; give it one")
    return str(tokenizer.apply_chat_template([*prompt, *completion], tokenize=False))
