"""The think block of a completion: what comes after it, and whether it is well formed."""

from typing import Any, Literal

from gpocli.contracts.completion import completion_text

OPEN, CLOSE = "<think>", "</think>"

Opening = Literal["auto", "prompt", "completion"]
"""Where the opening tag of the think block stands.

`prompt`: the prompt or its chat template ends with it; `completion`: the policy writes it; `auto`: each
completion is taken for what it looks like. Chat templates are out of sight of a reward, so under `auto` a
chat completion that was cut while thinking looks like one that never thought: say `prompt` for such models.
"""


def prompt_opens(prompt: Any) -> bool:
    """Whether a prompt, a text or chat messages, visibly ends with an opening tag."""
    if isinstance(prompt, list | tuple) and prompt:
        last = prompt[-1]
        # Templates that begin the answer do so in a message of the assistant.
        prompt = last.get("content") if isinstance(last, dict) and last.get("role") == "assistant" else ""
    return isinstance(prompt, str) and prompt.rstrip().endswith(OPEN)


def after_thinking(text: str, *, opened: bool = False) -> str | None:
    """What stands after the last closing tag: all of the text without a block, None for a block left open.

    `opened`: the prompt has opened the block.
    """
    _, closed, rest = text.rpartition(CLOSE)
    if closed:
        return None if OPEN in rest else rest
    return None if opened or OPEN in rest else rest


def opened_before(opening: Opening, prompt: Any) -> bool:
    """Whether the block of a completion of `prompt` is known to have been opened in front of it."""
    return opening == "prompt" or (opening == "auto" and prompt_opens(prompt))


def stated_after_thinking(completion: Any, opening: Opening, prompt: Any) -> str | None:
    """What a completion, a text or chat messages, says after its think block; None for a block left open."""
    return after_thinking(completion_text(completion), opened=opened_before(opening, prompt))


def is_well_formed(text: str, opening: Opening = "auto", prompt: Any = None) -> bool:
    """Whether a completion is one think block and then an answer that is not empty.

    The block may be empty. Only white space may stand in front of an opening tag, and none may stand in the
    completion when the prompt has opened the block. Tags in capitals are not tags, but spoil the format.
    """
    lowered = text.lower()
    opens, closes = lowered.count(OPEN), lowered.count(CLOSE)
    if closes != 1 or opens > 1:
        return False
    before, closed, answer = text.partition(CLOSE)
    if not closed or not answer.strip() or lowered.find(OPEN) > lowered.find(CLOSE):
        return False
    if opens == 0:
        return opening != "completion"
    return not opened_before(opening, prompt) and before.lstrip().startswith(OPEN)
