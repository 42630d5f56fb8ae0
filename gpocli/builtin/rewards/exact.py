"""The reward for repeating the gold answer letter by letter."""

from collections.abc import Sequence
from typing import Any

from pydantic import Field

from gpocli.builtin.options import Options
from gpocli.builtin.rewards.columns import column, one_each
from gpocli.builtin.rewards.thinking import Opening, stated_after_thinking
from gpocli.extensions import RewardExtension


class ExactOptions(Options):
    """Options of `exact`."""

    answer_column: str = Field(default="answer", min_length=1)
    """The data column with the gold answers."""
    case_sensitive: bool = True
    """Whether capitals matter."""
    strip: bool = True
    """Whether white space around the two texts is left out."""
    opening: Opening = "auto"
    """Where the opening think tag stands; with `prompt` a completion that never closes the block is wrong."""


class Exact:
    """1.0 when the text after the last `</think>` is the gold answer, else 0.0; None without a gold answer.

    Both are compared as text: `007` is not `7`. A think block left open is wrong.
    """

    __name__ = "exact"

    def __init__(self, options: ExactOptions) -> None:
        self.options = options
        self.columns = (options.answer_column,)

    def __call__(
        self, completions: Sequence[Any], prompts: Sequence[Any] | None = None, **columns: Any
    ) -> list[float | None]:
        golds = column(columns, self.options.answer_column, self.__name__, len(completions))
        return [*map(self._score, completions, golds, one_each(prompts, len(completions)))]

    def reward_bound(self, length: int) -> float:
        """A longer completion may still be right."""
        return 1.0

    def _score(self, completion: Any, gold: Any, prompt: Any) -> float | None:
        if gold is None:
            return None
        answer = stated_after_thinking(completion, self.options.opening, prompt)
        return float(answer is not None and self._normal(answer) == self._normal(str(gold)))

    def _normal(self, text: str) -> str:
        text = text.strip() if self.options.strip else text
        return text if self.options.case_sensitive else text.casefold()


EXTENSION = RewardExtension(
    name="exact",
    build=Exact,
    summary="1 when the text after thinking is the gold answer, letter by letter",
    options=ExactOptions,
    columns=("answer",),
)
