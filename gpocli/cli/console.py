"""The two consoles that commands print to."""

from rich.console import Console

console = Console(highlight=False, emoji=False)
error_console = Console(highlight=False, emoji=False, stderr=True)
