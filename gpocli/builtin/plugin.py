"""The built-in plugin: gpo's own filters and rewards, through the hooks that every other plugin uses."""

from gpocli.builtin.filters import adaptive_difficulty, correct, length, random, token_efficiency
from gpocli.extensions import FilterExtension
from gpocli.hookspecs import hookimpl


@hookimpl
def gpo_filters() -> list[FilterExtension]:
    """The `EXTENSION` of each file in `builtin/filters`."""
    return [module.EXTENSION for module in (length, token_efficiency, adaptive_difficulty, correct, random)]
