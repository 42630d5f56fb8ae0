"""Prompts as a model gets them, in text and in number of tokens."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gpocli.data.rows import Rows
from gpocli.data.tool_calls import QUOTED, has_text_arguments, is_quoted, with_probed_arguments
from gpocli.errors import SpecError

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase


def light_tokenizer(folder: Path) -> "PreTrainedTokenizerBase | None":
    """The tokenizer of a model in a folder; None where there is no `tokenizer.json`, which alone needs no torch."""
    if not (folder / "tokenizer.json").is_file():
        return None
    from transformers import PreTrainedTokenizerFast  # not AutoTokenizer, which imports torch to know its classes

    tokenizer: PreTrainedTokenizerBase = PreTrainedTokenizerFast.from_pretrained(folder)
    return tokenizer


def prompt_texts(
    rows: Rows, tokenizer: "PreTrainedTokenizerBase", chat_template_kwargs: Mapping[str, Any] | None = None
) -> list[str]:
    """Each prompt as the model gets it: through the chat template when it is a chat, else between the tokens that the
    tokenizer puts around a text. Raises as `prompt_ids` does.
    """
    prompts = [row["prompt"] for row in rows]
    if isinstance(prompts[0], str):
        before, behind = map("".join, added_around(tokenizer))
        return [f"{before}{prompt}{behind}" for prompt in prompts]
    texts: list[str] = _through_template(rows.source, prompts, tokenizer, chat_template_kwargs, tokenize=False)
    return texts


def prompt_ids(
    rows: Rows, tokenizer: "PreTrainedTokenizerBase", chat_template_kwargs: Mapping[str, Any] | None = None
) -> list[list[int]]:
    """Tokens of each prompt as the trainer feeds it to the model: through the chat template when it is a chat.

    Raises SpecError when the prompts are chats and the tokenizer has no chat template, or one that refuses them.
    """
    prompts = [row["prompt"] for row in rows]
    if isinstance(prompts[0], list):
        _refuse_quoted_arguments(rows, tokenizer, chat_template_kwargs)
    if isinstance(prompts[0], str):
        encoded = tokenizer(text=prompts, verbose=False)
    else:
        # `verbose` off: prompts longer than the model reads are answered in our own words.
        how = {"tokenize": True, "return_dict": True, "tokenizer_kwargs": {"verbose": False}}
        encoded = _through_template(rows.source, prompts, tokenizer, chat_template_kwargs, **how)
    ids: list[list[int]] = encoded["input_ids"]
    return ids


def _refuse_quoted_arguments(
    rows: Rows, tokenizer: "PreTrainedTokenizerBase", chat_template_kwargs: Mapping[str, Any] | None
) -> None:
    """Raise SpecError for arguments of a tool call that are JSON text, if the template would write them as a string."""
    index = next((index for index, row in enumerate(rows) if has_text_arguments(row["prompt"])), None)
    if index is None:
        return
    probe = [with_probed_arguments(rows[index]["prompt"])]
    if is_quoted(_through_template(rows.source, probe, tokenizer, chat_template_kwargs, tokenize=False)[0]):
        raise SpecError(f"{rows.place(index)}: {QUOTED}")


def added_around(tokenizer: "PreTrainedTokenizerBase") -> tuple[list[str], list[str]]:
    """The tokens that a tokenizer puts before and behind a plain text."""
    whole: list[int] = tokenizer("a", verbose=False)["input_ids"]
    bare: list[int] = tokenizer("a", add_special_tokens=False, verbose=False)["input_ids"]
    start = next((at for at in range(len(whole)) if whole[at : at + len(bare)] == bare), 0)
    around = whole[:start], whole[start + len(bare) :]
    before, behind = ([str(token) for token in tokenizer.convert_ids_to_tokens(ids)] for ids in around)
    return before, behind


def _through_template(
    source: str,
    prompts: list[Any],
    tokenizer: "PreTrainedTokenizerBase",
    chat_template_kwargs: Mapping[str, Any] | None,
    **how: Any,
) -> Any:
    from jinja2 import TemplateError, TemplateSyntaxError

    if tokenizer.chat_template is None:
        raise SpecError(
            f"{source}: prompts are chat messages, but the model's tokenizer has no chat template; "
            "write plain text prompts, or name a chat model"
        )
    try:
        return tokenizer.apply_chat_template(prompts, add_generation_prompt=True, **how, **(chat_template_kwargs or {}))
    except TemplateSyntaxError as error:
        raise SpecError(
            f"{source}: the model's chat template is broken ({error.message}, line {error.lineno} of it); mend it in "
            "the model's files"
        ) from error
    except (TemplateError, TypeError, AttributeError, KeyError) as error:  # templates compute with what messages hold
        raise SpecError(
            f"{source}: the model's chat template refuses a prompt ({error}); change the messages or their roles"
        ) from error
