"""Accuracy that knows lengths: the reward of Phi-4-reasoning and of the GFPO paper.

arXiv 2504.21318, section 4.1, "length-aware accuracy reward"; its repetition penalty is not part of this.
"""

import math
from collections.abc import Sequence
from typing import Any, Literal

from pydantic import Field, model_validator

from gpocli.builtin.rewards.accuracy import Accuracy, AccuracyOptions
from gpocli.builtin.rewards.columns import one_each
from gpocli.builtin.rewards.overlong import is_cut
from gpocli.builtin.rewards.thinking import is_well_formed
from gpocli.contracts.completion import completion_text
from gpocli.extensions import RewardExtension


class LengthAwareAccuracyOptions(AccuracyOptions):
    """Options of `length_aware_accuracy`, over those of `accuracy`. Defaults are the paper's."""

    max_tokens: int = Field(default=31744, gt=0)
    """Tokens from which on a right answer is worth `right_long`, L_max."""
    right_free_tokens: int = Field(default=25600, ge=0)
    """Tokens up to which a right answer is worth `right_short`, L_pos_control."""
    wrong_full_tokens: int = Field(default=3702, gt=0)
    """Tokens from which on a wrong answer costs no more than `wrong_long`, L_neg_control."""
    right_short: float = 1.0
    """Reward of a short right answer, R_max+."""
    right_long: float = 0.5
    """Reward of a long right answer, R_min+."""
    wrong_short: float = -1.0
    """Reward of a wrong answer without thought, R_min-."""
    wrong_long: float = -0.5
    """Reward of a long wrong answer, R_max-."""
    unfinished: float = -0.5
    """Reward of a completion without an end token, whatever it says."""
    malformed: float = -1.0
    """Reward of a completion whose think tags are not one block in front of an answer."""
    think: Literal["required", "if_present", "ignored"] = "required"
    """Whether think tags must be there, must only be well formed where there are any, or do not matter."""
    end_token_ids: list[int] | None = None
    """Ids of the tokens that end a completion; only needed where the trainer does not tell which ended."""

    @model_validator(mode="after")
    def max_lies_beyond_the_free_tokens(self) -> "LengthAwareAccuracyOptions":
        if self.max_tokens <= self.right_free_tokens:
            raise ValueError(
                f"max_tokens {self.max_tokens} is not more than right_free_tokens {self.right_free_tokens}; "
                "give a larger max_tokens or fewer free tokens"
            )
        return self


class LengthAwareAccuracy:
    """For a completion of L tokens, the first of these that fits:

    - None where `accuracy` is None
    - `unfinished` without an end token
    - `malformed` when the think tags are not as they should be
    - right: `right_long + (right_short - right_long) / 2 * (1 + cos(pi * p))`, where
      `p = clip((L - right_free_tokens) / (max_tokens - right_free_tokens), 0, 1)`
    - wrong: `wrong_long + (wrong_short - wrong_long) / 2 * (1 + cos(pi * q))`, where
      `q = min(L / wrong_full_tokens, 1)`

    Whether there is an end token, `finished` says where the trainer passes it. Otherwise a completion of
    `max_tokens` tokens or more is unfinished, unless its last token is one of `end_token_ids`.
    """

    __name__ = "length_aware_accuracy"

    def __init__(self, options: LengthAwareAccuracyOptions) -> None:
        self.options = options
        self.columns = (options.answer_column,)
        self._accuracy = Accuracy(options, self.__name__)

    def __call__(
        self,
        completions: Sequence[Any],
        completion_ids: Sequence[Sequence[int]],
        prompts: Sequence[Any] | None = None,
        finished: Sequence[bool] | None = None,
        **columns: Any,
    ) -> list[float | None]:
        accuracies = self._accuracy(completions, prompts, **columns)
        prompts, finished = one_each(prompts, len(completions)), one_each(finished, len(completions))
        return [*map(self._score, accuracies, completions, completion_ids, prompts, finished)]

    def reward_bound(self, length: int) -> float:
        """The highest of all that can come of a completion."""
        options = self.options
        right, wrong = (options.right_short, options.right_long), (options.wrong_short, options.wrong_long)
        return max(*right, *wrong, options.unfinished, options.malformed)

    def _score(
        self, accuracy: float | None, completion: Any, tokens: Sequence[int], prompt: Any, finished: bool | None
    ) -> float | None:
        if accuracy is None:
            return None
        options = self.options
        if is_cut(tokens, finished, options.end_token_ids, options.max_tokens):
            return options.unfinished
        if not self._is_well_formed(completion_text(completion), prompt):
            return options.malformed
        length = len(tokens)
        if accuracy == 1.0:
            span = options.max_tokens - options.right_free_tokens
            share = min(max((length - options.right_free_tokens) / span, 0.0), 1.0)
            return _cosine(options.right_short, options.right_long, share)
        return _cosine(options.wrong_short, options.wrong_long, min(length / options.wrong_full_tokens, 1.0))

    def _is_well_formed(self, text: str, prompt: Any) -> bool:
        think = self.options.think
        if think == "ignored" or (think == "if_present" and "think>" not in text):
            return True
        return is_well_formed(text, self.options.opening, prompt)


def _cosine(start: float, end: float, share: float) -> float:
    """From `start` at share 0 to `end` at share 1, along half a cosine wave."""
    return end + 0.5 * (start - end) * (1.0 + math.cos(math.pi * share))


EXTENSION = RewardExtension(
    name="length_aware_accuracy",
    build=LengthAwareAccuracy,
    summary="right answers 1 to 0.5, wrong ones -1 to -0.5 by length (Phi-4-reasoning)",
    options=LengthAwareAccuracyOptions,
    columns=("answer",),
)
