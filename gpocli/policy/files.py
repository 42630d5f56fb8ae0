"""What a model's files tell of its tokenizer, without reading the megabytes of its vocabulary. Free of torch."""

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

_GENERIC = (None, "PreTrainedTokenizerFast", "TokenizersBackend")
"""Classes of tokenizers that know no token but those of the files."""


@dataclass(frozen=True)
class TokenizerFiles:
    """The files of a model in `folder`; what cannot be read is as if it were not there."""

    folder: Path

    @cached_property
    def config(self) -> dict[str, Any]:
        """`config.json`."""
        return self._json("config.json")

    @cached_property
    def settings(self) -> dict[str, Any]:
        """`tokenizer_config.json`, over what older versions of transformers wrote beside it."""
        return self._json("special_tokens_map.json") | self._json("tokenizer_config.json")

    @property
    def declares_no_end(self) -> bool:
        """Whether neither tokenizer nor model has an end token; false where their classes may have one of their own."""
        if not (self.folder / "tokenizer.json").is_file() or self.settings.get("tokenizer_class") not in _GENERIC:
            return False
        text = self.config.get("text_config") or self.config
        is_null = "eos_token_id" in text and text["eos_token_id"] is None
        return (
            is_null
            and not self.settings.get("eos_token")
            and not self._json("generation_config.json").get("eos_token_id")
        )

    @cached_property
    def ids(self) -> dict[str, int]:
        """The numbers of the tokens that were added to the vocabulary, special ones among them."""
        added = self._part("added_tokens")
        entries = added if isinstance(added, list) else []
        return {
            one["content"]: one["id"] for one in entries if isinstance(one, dict) and {"content", "id"} <= one.keys()
        }

    @property
    def embedded_tokens(self) -> int | None:
        """Rows of the model's embedding, from its config."""
        text = self.config.get("text_config") or self.config
        size = text.get("vocab_size") if isinstance(text, dict) else None
        return size if isinstance(size, int) else None

    def token(self, name: str) -> str | None:
        """The text of the special token that is called `eos_token`, `pad_token` or the like."""
        value = self.settings.get(name)
        value = value.get("content") if isinstance(value, dict) else value
        return value if isinstance(value, str) else None

    @property
    def appended(self) -> str | None:
        """The special token that the tokenizer puts behind a text, if its files tell of one."""
        for processor in _flat(self._part("post_processor")):
            single = processor.get("single") if processor.get("type") == "TemplateProcessing" else None
            last = single[-1] if isinstance(single, list) and single and isinstance(single[-1], dict) else {}
            if isinstance(special := last.get("SpecialToken"), dict):
                return str(special.get("id"))
        return None

    @cached_property
    def template(self) -> str | None:
        """The chat template; None without one, or where there are several to choose from."""
        file = self.folder / "chat_template.jinja"
        if file.is_file():
            return file.read_text(encoding="utf-8", errors="replace")
        found = self.settings.get("chat_template")
        return found if isinstance(found, str) else None

    @cached_property
    def _text(self) -> str:
        file = self.folder / "tokenizer.json"
        return file.read_text(encoding="utf-8", errors="replace") if file.is_file() else ""

    def _part(self, name: str) -> Any:
        """The value of a key at the top of `tokenizer.json`, where it stands before the vocabulary."""
        start = self._text.find(f'"{name}":')
        if start < 0:
            return None
        start += len(name) + 3
        start += len(self._text[start : start + 100]) - len(self._text[start : start + 100].lstrip())
        try:
            return json.JSONDecoder().raw_decode(self._text, start)[0]
        except ValueError:
            return None

    def _json(self, name: str) -> dict[str, Any]:
        try:
            value = json.loads((self.folder / name).read_bytes())
        except (OSError, ValueError):
            return {}
        return value if isinstance(value, dict) else {}


def _flat(processor: Any) -> list[dict[str, Any]]:
    """The steps of a post-processor, which may be a sequence of them."""
    if not isinstance(processor, dict):
        return []
    inner = processor.get("processors")
    return [one for part in inner for one in _flat(part)] if isinstance(inner, list) else [processor]
