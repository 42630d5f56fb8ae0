"""What one does with a run that is done."""

import shlex
from pathlib import Path


def next_commands(path: Path) -> list[str]:
    """The commands that most people want next, filled in: look at what it wrote, how it went, and use the model.

    A model without a chat template cannot chat, and is handed on.
    """
    run = shlex.quote(str(path))
    can_chat = (path / "model" / "chat_template.jinja").is_file()
    return [
        f"gpo samples {run}",
        f"gpo report {run}",
        f"gpo chat {run} --beside base" if can_chat else f"gpo export {run}",
    ]


def next_lines(path: Path) -> list[str]:
    """The same as lines to print."""
    return [f"{'' if place else 'next:':<5} {command}" for place, command in enumerate(next_commands(path))]
