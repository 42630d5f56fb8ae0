"""A model that can be asked: its weights, its tokenizer, and gpo's own way to draw from it. Imports torch when made."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gpocli.asking.answers import Answer, Portion, Teller, portions
from gpocli.asking.prompts import ready
from gpocli.asking.source import Asked, was_trained_on_chats
from gpocli.data import Rows, gather
from gpocli.data.tokenizer import prompt_ids
from gpocli.errors import SpecError

if TYPE_CHECKING:
    from gpocli.rollout import SamplingSettings

TellerOf = Callable[[Portion], Teller]


class AskedModel:
    """What an `Asked` names, loaded. Raises `SpecError` and `EnvironmentFault` where it cannot be."""

    def __init__(self, asked: Asked) -> None:
        from gpocli.asking.loading import load_sampler

        self.name, self.system = asked.name, asked.spec.data.system
        self._asked, self._sampler = asked, load_sampler(asked.spec)

    @property
    def settings(self) -> "SamplingSettings":
        """How it is sampled."""
        return self._sampler.settings

    @property
    def has_template(self) -> bool:
        """Whether it can be asked in chats."""
        return self._sampler.tokenizer.chat_template is not None

    @property
    def is_chat(self) -> bool:
        """Whether text is asked as a user's message: as in training, else where there is a template for it."""
        was = was_trained_on_chats(self._asked.run)
        return self.has_template if was is None else was

    def prompts(self, rows: Rows, *, chat: bool) -> Rows:
        """The rows in the form that the model is asked in. Raises `SpecError`."""
        return ready(rows, self._asked.spec.data, chat=chat)

    def decode(self, tokens: Sequence[int]) -> str:
        """The text of tokens, as rewards get it."""
        text: str = self._sampler.tokenizer.decode(tokens, skip_special_tokens=True)
        return text

    def answers(
        self, made: Rows, count: int, seed: int, teller_of: TellerOf | None = None, *, first: int = 0
    ) -> Iterator[list[Answer]]:
        """`count` answers to each of the prompts (see `prompts`), in order, those at a time that are drawn together.

        `teller_of` gives each portion one who tells of it while it is drawn. Of prompts before number `first` only
        those are answered that are drawn together with it; the others are answered as if all were. Raises `SpecError`
        for prompts that leave no room for an answer.
        """
        ids = self._ids(made)
        settings = self._fitting(made, ids)
        for portion in portions(len(made), count):
            if portion.last <= first:
                continue
            teller = None if teller_of is None else teller_of(portion)
            yield self._draw(ids[portion.first : portion.last], portion, settings, seed, teller)

    def reply(self, messages: Sequence[dict[str, Any]], seed: int, turn: int, show: Callable[[str], None]) -> Answer:
        """The next answer in a chat, with each piece of its text shown; `turn` makes it another one than before.

        Raises `SpecError` for a chat that leaves no room.
        """
        made = gather("this chat", [(1, {"prompt": list(messages)})], unit="row")
        ids = self._ids(made)
        teller = Teller(self.decode, lambda row: None, show)
        (answer,) = self._draw(ids, Portion(0, 1, 0, 1, turn), self._fitting(made, ids), seed, teller)
        return answer

    def _draw(
        self,
        ids_P: Sequence[Sequence[int]],
        portion: Portion,
        settings: "SamplingSettings",
        seed: int,
        teller: Teller | None,
    ) -> list[Answer]:
        from gpocli.rollout import Board, SamplingRequest

        boards: list[Board] = []
        look = None if teller is None else teller.look
        rollout = self._sampler.sample(
            SamplingRequest(
                ids_P, portion.size, settings, seed, portion.first_row, on_board=boards.append, on_look=look
            )
        )
        if teller is not None:
            teller.look(boards[0], is_over=True)
        return [
            Answer(
                *portion.place(row),
                text=self.decode(ids),
                tokens=len(ids),
                ended=rollout.finished[row],
                logp=None if rollout.logps is None else sum(rollout.logps[row]),
                ids=tuple(ids),
            )
            for row, ids in enumerate(rollout.completion_ids)
        ]

    def _ids(self, made: Rows) -> list[list[int]]:
        return prompt_ids(made, self._sampler.tokenizer, self._asked.template_options)

    def _fitting(self, made: Rows, ids_P: Sequence[Sequence[int]]) -> "SamplingSettings":
        """The settings with no more tokens than the context has room for behind the longest prompt."""
        context = self._sampler.context
        if context is None:
            return self.settings
        longest = max(range(len(ids_P)), key=lambda number: len(ids_P[number]))
        room = context - len(ids_P[longest])
        if room < 1:
            raise SpecError(
                f"{made.place(longest)}: {len(ids_P[longest]):,} tokens leave no room for an answer in the model's "
                f"context of {context:,}"
            )
        return replace(self.settings, max_new_tokens=min(room, self.settings.max_new_tokens))
