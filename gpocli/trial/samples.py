"""Completions that a filter or reward is tried on, and the arguments that a trainer would make of them."""

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from gpocli.contracts.filter_call import Candidate as FilterCandidate
from gpocli.contracts.filter_call import FilterCall, filter_call
from gpocli.data import ROW_KEY
from gpocli.data.prompt import Message

THINK = "<think>"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A completion that was recorded or made up. `kind` is what tables call its like, `place` what messages call it.

    `tokens` are those that a policy would have written, the end token included; `finished` says that there is one.
    `rewards` holds each reward by name and `reward` their weighted sum, None where it does not apply.
    """

    kind: str
    place: str
    text: str
    tokens: list[int]
    finished: bool
    rewards: dict[str, float | None]
    reward: float | None


@dataclass(frozen=True, slots=True)
class Group:
    """The candidates of one data row, and the row (its prompt, its columns, its number under `ROW_KEY`)."""

    row: dict[str, Any]
    candidates: Sequence[Candidate]


@dataclass(frozen=True, slots=True)
class Samples:
    """Groups to try a filter or reward on. `origin` says what they are, `notes` what the user should know."""

    origin: str
    groups: Sequence[Group]
    notes: Sequence[str] = ()
    are_recorded: bool = False

    @property
    def candidates(self) -> list[Candidate]:
        """All candidates, group after group."""
        return [candidate for group in self.groups for candidate in group.candidates]

    @property
    def are_chat(self) -> bool:
        """Whether the prompts are chat messages, and completions therefore too."""
        return isinstance(self.groups[0].row["prompt"], list)

    @property
    def way_out(self) -> str:
        """What to do when these samples show no difference."""
        others = "another run" if self.are_recorded else "recorded completions with --run"
        return f"mend it, or try {others}"

    @property
    def columns(self) -> list[str]:
        """The data columns besides the prompt."""
        return [name for name in self.groups[0].row if name not in ("prompt", ROW_KEY)]


def reward_arguments(samples: Samples, *, chat: bool) -> dict[str, Any]:
    """The keywords with which a trainer would call a reward, in one form or the other, freshly made."""
    rows = [group.row for group in samples.groups for _ in group.candidates]
    return {
        "prompts": [prompt_in_form(row["prompt"], chat=chat) for row in rows],
        "completions": [completion_in_form(one.text, chat=chat) for one in samples.candidates],
        "completion_ids": [list(one.tokens) for one in samples.candidates],
        "finished": [one.finished for one in samples.candidates],
        **{name: [deepcopy(row[name]) for row in rows] for name in (*samples.columns, ROW_KEY)},
        "trainer_state": trainer_state(),
        "log_extra": _ignore,
        "log_metric": _ignore,
    }


def filter_arguments(samples: Samples, *, chat: bool) -> FilterCall:
    """The arguments with which a trainer would call a filter, in one form or the other, freshly made."""

    def given(row: dict[str, Any], one: Candidate, number: int) -> FilterCandidate:
        prompt, completion = prompt_in_form(row["prompt"], chat=chat), completion_in_form(one.text, chat=chat)
        return FilterCandidate(row, prompt, completion, one.tokens, one.finished, one.rewards, one.reward, number)

    groups = enumerate(samples.groups)
    return filter_call([[given(group.row, one, n) for one in group.candidates] for n, group in groups], trainer_state())


def trainer_state() -> SimpleNamespace:
    """What stands in for the trainer's state: the first step of a hundred."""
    return SimpleNamespace(global_step=0, max_steps=100, epoch=0.0)


def completion_in_form(text: str, *, chat: bool) -> str | list[Message]:
    """A completion as text or as the chat message that a trainer makes of it."""
    return [{"role": "assistant", "content": text}] if chat else text


def prompt_in_form(prompt: str | list[Message], *, chat: bool) -> str | list[Message]:
    """A prompt as text or as chat messages; a think tag at its end stays with the assistant."""
    if isinstance(prompt, list):
        return [dict(message) for message in prompt] if chat else "\n".join(message["content"] for message in prompt)
    if not chat:
        return prompt
    if not prompt.rstrip().endswith(THINK):
        return [{"role": "user", "content": prompt}]
    asked = prompt.rstrip().removesuffix(THINK)
    return [{"role": "user", "content": asked}, {"role": "assistant", "content": THINK}]


def _ignore(*_: Any, **__: Any) -> None:
    """Stand in for the trainer's logging; the same each time, so that arguments can be compared."""
