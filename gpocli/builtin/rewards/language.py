"""The reward for staying in one language: the share of words in it (DeepSeek-R1, arXiv 2501.12948, section 2.3.2)."""

from collections.abc import Sequence
from typing import Any, Literal

from pydantic import Field, field_validator

from gpocli.builtin.options import Options
from gpocli.builtin.rewards.scripts import LANGUAGES, prose, word_scripts
from gpocli.builtin.rewards.thinking import CLOSE
from gpocli.contracts.completion import completion_text
from gpocli.extensions import RewardExtension


class LanguageOptions(Options):
    """Options of `language`."""

    language: str = "en"
    """The language to stay in, as its code of ISO 639-1 (`en`, `zh`); told by its script alone."""
    part: Literal["all", "thinking", "answer"] = "all"
    """What is read: all, what stands in front of the last `</think>`, or what follows it."""
    without_words: float = Field(default=0.0, ge=0, le=1)
    """The reward of a completion that has no word in any script."""

    @field_validator("language")
    @classmethod
    def language_is_known(cls, code: str) -> str:
        if code not in LANGUAGES:
            raise ValueError(f"it must be one of {', '.join(sorted(LANGUAGES))}")
        return code


class Language:
    """The share of words that are written in the script of the language, from 0 to 1; numbers, code, formulas, tags
    and single letters are no words.

    Languages of one script look alike: French is no worse than English here, but Chinese and Russian are.
    """

    __name__ = "language"

    def __init__(self, options: LanguageOptions) -> None:
        self.options = options
        self._wanted = LANGUAGES[options.language]

    def __call__(self, completions: Sequence[Any], **_: Any) -> list[float | None]:
        return [self._share(completion_text(one)) for one in completions]

    def reward_bound(self, length: int) -> float:
        """What follows may all be in the language."""
        return 1.0

    def _share(self, text: str) -> float:
        scripts = [*word_scripts(prose(self._part(text)))]
        if not scripts:
            return self.options.without_words
        return sum(script in self._wanted for script in scripts) / len(scripts)

    def _part(self, text: str) -> str:
        if self.options.part == "all":
            return text
        thought, closed, answer = text.rpartition(CLOSE)
        if self.options.part == "answer":
            return answer
        return thought if closed else text


EXTENSION = RewardExtension(
    name="language",
    build=Language,
    summary="share of words in the script of one language, from 0 to 1 (DeepSeek-R1)",
    options=LanguageOptions,
)
