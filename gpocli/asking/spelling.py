"""The text of a completion while its tokens come."""

from collections.abc import Callable, Sequence

_HALF = "\ufffd"
"""What stands for the bytes of a character that is not whole yet."""


class Spelling:
    """Turns the tokens of one completion into text, a piece at a time; `decode` gives the text of tokens.

    The pieces put together are the text of all tokens: what is not whole yet, and what later tokens change, waits.
    """

    def __init__(self, decode: Callable[[Sequence[int]], str]) -> None:
        self._decode, self._shown, self._tokens = decode, "", 0

    def more(self, tokens: Sequence[int], *, is_last: bool = False) -> str:
        """What is new in the text of all `tokens` so far."""
        if len(tokens) == self._tokens and not is_last:
            return ""
        self._tokens = len(tokens)
        text = self._decode(tokens)
        whole = text if is_last else text.rstrip(_HALF)
        if not whole.startswith(self._shown):
            return ""
        new = whole[len(self._shown) :]
        self._shown = whole
        return new
