"""The reward for tasks of reasoning-gym: the task's own scorer, for data from `gym:TASK`."""

import functools
import re
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from typing import Any

from gpocli.builtin.options import Options
from gpocli.builtin.rewards.accuracy import stated_answer
from gpocli.builtin.rewards.columns import column, one_each
from gpocli.builtin.rewards.thinking import Opening, stated_after_thinking
from gpocli.errors import EnvironmentFault, SpecError
from gpocli.extensions import RewardExtension

COLUMNS = ("answer", "metadata")
_TAGGED = re.compile(r"<answer>(.*?)</answer>", re.DOTALL)


class GymOptions(Options):
    """Options of `gym`."""

    opening: Opening = "auto"
    """Where the opening think tag stands; with `prompt` a completion that never closes the block is wrong."""


class Gym:
    """What the scorer of the row's task gives for the answer that a completion states, from 0 to 1.

    Tasks may have several right answers, and some pay for answers that are nearly right. An answer stands in the last
    `<answer>` tag after the last `</think>`, or is found as for `accuracy`, or is all of the text. A think block left
    open gets 0, and so does an answer at which the scorer fails.
    """

    __name__ = "gym"
    columns = COLUMNS

    def __init__(self, options: GymOptions) -> None:
        if find_spec("reasoning_gym") is None:
            raise EnvironmentFault("needs reasoning-gym, which is not installed; pip install 'gpocli[gym]'")
        self.options = options

    def __call__(
        self, completions: Sequence[Any], prompts: Sequence[Any] | None = None, **columns: Any
    ) -> list[float | None]:
        answers, metadata = (column(columns, name, self.__name__, len(completions)) for name in COLUMNS)
        return [*map(self._score, completions, answers, metadata, one_each(prompts, len(completions)))]

    def _score(self, completion: Any, answer: Any, metadata: Any, prompt: Any) -> float:
        if not isinstance(metadata, Mapping) or "source_dataset" not in metadata:
            raise SpecError(
                "reward 'gym' pays rows of reasoning-gym, which name their task in metadata.source_dataset; use data "
                "such as gym:chain_sum"
            )
        text = stated_after_thinking(completion, self.options.opening, prompt)
        if text is None:
            return 0.0
        # Multi-line answers such as grids stand in tags; `accuracy` would take one line of them.
        tagged = _TAGGED.findall(text)
        stated = str(tagged[-1] if tagged else stated_answer(text) or text).strip()
        question = str(prompt[-1]["content"] if isinstance(prompt, list) else prompt)
        entry = {"question": question, "answer": answer, "metadata": dict(metadata)}
        scorer = _scorer(str(metadata["source_dataset"]))
        try:
            return float(scorer(stated, entry))
        except Exception:  # noqa: BLE001 - some scorers fail at what is no answer of their form
            return 0.0


@functools.cache
def _scorer(task: str) -> Callable[[str, dict[str, Any]], float]:
    import reasoning_gym

    return reasoning_gym.get_score_answer_fn(task)  # type: ignore[no-any-return]


EXTENSION = RewardExtension(
    name="gym",
    build=Gym,
    summary="what the own scorer of a reasoning-gym task gives, from 0 to 1",
    options=GymOptions,
    columns=COLUMNS,
)
