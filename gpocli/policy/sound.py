"""Whether a loaded tokenizer and model can be trained at all: faults that would show late, or never."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from gpocli.data import Rows
from gpocli.data.tokenizer import added_around
from gpocli.errors import SpecError

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

NO_END = (
    "model '{}' has no end token, neither in its tokenizer nor in its config, so every completion would be cut at "
    "sampling.max_tokens; name one as eos_token in its tokenizer_config.json"
)
BEYOND = (
    "the {} of model '{}' is number {} of its tokenizer, but its embedding has {} rows; resize the embedding "
    "(model.resize_token_embeddings) and save the model again, or name another in its tokenizer_config.json"
)
APPENDED = (
    "the tokenizer of model '{}' puts its end token '{}' behind every prompt, so that the policy would go on behind an "
    "end; take it out of its files (add_eos_token, post_processor), or write data.chat: true to prompt by its template"
)


def require_end_token(name: str, tokenizer: "PreTrainedTokenizerBase", *declared: Any) -> None:
    """Raise `SpecError` for a model without any end token; `declared` are those of its configs, each one id or several.

    A tokenizer without one takes the first that the model declares, for TRL needs one there.
    """
    ids = [one for value in declared for one in (value if isinstance(value, list) else [value]) if one is not None]
    if tokenizer.eos_token_id is not None:
        return
    if not ids:
        raise SpecError(NO_END.format(name))
    tokenizer.eos_token = tokenizer.convert_ids_to_tokens(ids[0])


def require_special_tokens(name: str, tokenizer: "PreTrainedTokenizerBase", rows: int | None) -> None:
    """Raise `SpecError` for a start, end or padding token beyond the `rows` of the model's embedding."""
    for kind in ("bos_token", "eos_token", "pad_token"):
        number = getattr(tokenizer, f"{kind}_id")
        if rows is not None and number is not None and number >= rows:
            raise SpecError(BEYOND.format(f"{kind} '{getattr(tokenizer, kind)}'", name, number, rows))


def require_embedded(
    name: str, tokenizer: "PreTrainedTokenizerBase", rows: Rows, ids: Sequence[Sequence[int]], size: int | None
) -> None:
    """Raise `SpecError` for the first of `rows` whose `ids` go beyond the `size` of the model's embedding."""
    if size is None:
        return
    for index, prompt in enumerate(ids):
        if (highest := max(prompt, default=0)) >= size:
            raise SpecError(
                f"{rows.place(index)}: the prompt holds '{tokenizer.convert_ids_to_tokens(highest)}', which is number "
                f"{highest} of the tokenizer of model '{name}', but its embedding has {size} rows; take it out, or "
                "resize the embedding and save the model again"
            )


def refuse_appended_end(name: str, tokenizer: "PreTrainedTokenizerBase") -> None:
    """Raise `SpecError` for a tokenizer that ends every plain prompt."""
    behind = added_around(tokenizer)[1]
    if tokenizer.eos_token in behind:
        raise SpecError(APPENDED.format(name, tokenizer.eos_token))


def require_finite(name: str, parameters: Iterable[tuple[str, Any]]) -> None:
    """Raise `SpecError` for a weight that is no number: everything that is computed with it is none."""
    broken = [label for label, value in parameters if value.is_floating_point() and not _is_finite(value)]
    if broken:
        more = f" and {len(broken) - 1} more" if len(broken) > 1 else ""
        raise SpecError(
            f"model '{name}' has weights that are no finite numbers (NaN or infinity) in '{broken[0]}'{more}; its "
            "files are damaged, or an earlier run diverged: take another copy or checkpoint"
        )


def _is_finite(value: Any) -> bool:
    import torch

    if value.is_meta or value.numel() == 0 or value.element_size() == 1:  # elsewhere, or packed
        return True
    # The sum needs no memory; it may be too large for its type though no part of it is.
    return bool(value.detach().sum(dtype=torch.float32).isfinite()) or bool(value.detach().isfinite().all())
