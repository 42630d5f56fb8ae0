"""What figures, words, exit codes and messages mean: one glossary for pages, displays and `gpo explain`."""

from gpocli.glossary.entries import Entry, entries, find, legend

__all__ = ["Entry", "entries", "find", "legend"]
