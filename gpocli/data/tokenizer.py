"""Prompts as a model gets them, in text and in number of tokens."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gpocli.data.prompts import Message
from gpocli.data.rows import Rows
from gpocli.errors import SpecError

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

Prompt = str | list[Message]
_SPECIAL = ("bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token")


def prompt_token_counts(
    rows: Rows, tokenizer: "PreTrainedTokenizerBase", chat_template_kwargs: Mapping[str, Any] | None = None
) -> list[int]:
    """Tokens of each prompt as the trainer feeds it to the model: through the chat template when it is a chat.

    Raises SpecError when the prompts are chats and the tokenizer has no chat template, or one that refuses them.
    """
    prompts = [row["prompt"] for row in rows]
    if isinstance(prompts[0], str):
        return [len(ids) for ids in tokenizer(text=prompts, verbose=False)["input_ids"]]
    _require_template(rows.source, tokenizer.chat_template)
    with _template_faults(rows.source):
        encoded: Any = tokenizer.apply_chat_template(
            prompts,
            add_generation_prompt=True,
            tokenize=True,
            return_dict=True,
            tokenizer_kwargs={"verbose": False},
            **(chat_template_kwargs or {}),
        )
    return [len(ids) for ids in encoded["input_ids"]]


def _require_template(source: str, template: object) -> None:
    if template is None:
        raise SpecError(
            f"{source}: prompts are chat messages, but the model's tokenizer has no chat template; "
            "write plain text prompts, or name a chat model"
        )


@contextmanager
def _template_faults(source: str) -> Iterator[None]:
    from jinja2 import TemplateError

    try:
        yield
    except TemplateError as error:
        raise SpecError(
            f"{source}: the model's chat template refuses a prompt ({error}); change the messages or their roles"
        ) from error


class PromptTokenizer:
    """What `transformers` makes of prompts, from the files of a tokenizer alone: `tokenizers` and jinja2, no torch."""

    def __init__(self, folder: Path) -> None:
        from tokenizers import Tokenizer

        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        config = _json_of(folder / "tokenizer_config.json")
        self._template = _template_of(folder, config)
        self._special = {name: _text_of(config[name]) for name in _SPECIAL if config.get(name)}

    @staticmethod
    def is_for(folder: Path) -> bool:
        """Whether the folder holds what is needed."""
        return (folder / "tokenizer.json").is_file()

    def rendered(self, source: str, prompts: Sequence[Prompt], options: Mapping[str, Any] | None = None) -> list[str]:
        """The prompts as text, chats through the chat template (which gets `options`). Raises SpecError.

        `source` is named in messages.
        """
        if all(isinstance(prompt, str) for prompt in prompts):
            return [prompt for prompt in prompts if isinstance(prompt, str)]
        _require_template(source, self._template)
        with _template_faults(source):
            template = _environment().from_string(self._template)
            variables = {**self._special, "add_generation_prompt": True, **(options or {})}
            return [template.render(messages=prompt, **variables) for prompt in prompts]

    def counts(self, texts: Sequence[str], *, are_chats: bool) -> list[int]:
        """Tokens of each rendered prompt; a chat's template has written the special tokens already."""
        encoded = self._tokenizer.encode_batch(list(texts), add_special_tokens=not are_chats)
        return [len(one.ids) for one in encoded]


def _environment() -> Any:
    """Jinja as transformers sets it up for chat templates."""
    from datetime import datetime

    from jinja2 import TemplateError
    from jinja2.ext import loopcontrols
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    def refuse(message: str) -> None:
        raise TemplateError(message)

    def as_json(value: Any, **options: Any) -> str:
        return json.dumps(value, **({"ensure_ascii": False} | options))

    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[_generation_block(), loopcontrols]
    )
    environment.filters["tojson"] = as_json
    environment.globals["raise_exception"] = refuse
    environment.globals["strftime_now"] = lambda form: datetime.now().strftime(form)
    return environment


def _generation_block() -> Any:
    """The `{% generation %}` block of templates that mark what the assistant wrote: here it is its content."""
    from jinja2.ext import Extension

    class Generation(Extension):
        tags = {"generation"}  # noqa: RUF012 - as jinja2 declares it

        def parse(self, parser: Any) -> Any:
            next(parser.stream)
            return parser.parse_statements(("name:endgeneration",), drop_needle=True)

    return Generation


def _template_of(folder: Path, config: Mapping[str, Any]) -> str | None:
    if (folder / "chat_template.jinja").is_file():
        return (folder / "chat_template.jinja").read_text(encoding="utf-8")
    template = _json_of(folder / "chat_template.json").get("chat_template", config.get("chat_template"))
    if isinstance(template, list):
        named = {one.get("name"): one.get("template") for one in template if isinstance(one, dict)}
        template = named.get("default")
    return template if isinstance(template, str) else None


def _text_of(token: Any) -> str:
    return str(token.get("content", "")) if isinstance(token, dict) else str(token)


def _json_of(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}
