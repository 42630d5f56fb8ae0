"""A model that takes part in a chat."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gpocli.asking.conversation import Conversation
from gpocli.errors import SpecError

if TYPE_CHECKING:
    from gpocli.asking.model import AskedModel


@dataclass(frozen=True, slots=True)
class Said:
    """What came of an answer: its tokens, and why it ended where not by itself."""

    tokens: int
    cut_at: int | None = None
    """The most tokens that it could have, where it has them."""
    is_interrupted: bool = False


class Speaker:
    """One model with its own conversation; the same seed and the same questions give the same answers.

    Raises `SpecError` for a model without a chat template.
    """

    def __init__(self, model: "AskedModel", seed: int) -> None:
        if not model.has_template:
            raise SpecError(
                f"'{model.name}' has no chat template, so it cannot chat; ask it plain prompts: gpo generate "
                f"{model.name} PROMPT"
            )
        self.name, self._model, self._seed, self._drawn = model.name, model, seed, 0
        self.conversation = Conversation(model.system)

    def answer(self, question: str, show: Callable[[str], None]) -> Said:
        """Answer, with each piece of the text shown as it is drawn; Ctrl-C ends it. Raises `SpecError` for no room."""
        self.conversation.ask(question)
        pieces: list[str] = []

        def tell(text: str) -> None:
            pieces.append(text)
            show(text)

        said = Said(0, is_interrupted=True)
        try:
            drawn = self._model.reply(self.conversation.messages, self._seed, self._drawn, tell)
            said = Said(drawn.tokens, None if drawn.ended else drawn.tokens)
        except KeyboardInterrupt:
            pass
        finally:
            self._drawn += 1
            self.conversation.answer("".join(pieces))
        return said
