"""The conversation of one model with its user."""

from typing import Any

Message = dict[str, Any]


class Conversation:
    """Messages in turn, the system message of a run in front; it can be begun anew, and its last answer taken back."""

    def __init__(self, system: str | None = None) -> None:
        self._start: list[Message] = [] if system is None else [{"role": "system", "content": system}]
        self.messages: list[Message] = list(self._start)

    def ask(self, text: str) -> None:
        """Add what the user says."""
        self.messages.append({"role": "user", "content": text})

    def answer(self, text: str) -> None:
        """Add what the model says, be it cut or ended by the user; where it said nothing, the question goes as well."""
        if text:
            self.messages.append({"role": "assistant", "content": text})
        else:
            self.messages.pop()

    def take_back(self, question: str) -> None:
        """Take the last question and its answer back, if it is this one: one that got no answer is not there."""
        asked = {"role": "user", "content": question}
        if self.messages[-2:-1] == [asked]:
            del self.messages[-2:]

    def reset(self) -> None:
        """Begin anew."""
        self.messages = list(self._start)
