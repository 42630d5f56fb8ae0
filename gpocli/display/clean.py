"""Texts of others (data, completions, plugins, messages) without what would act on a terminal."""

import re

ACTS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters but tab and line feed
    "\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f"  # without a width
    "\ud800-\udfff]"  # halves of pairs, which no encoding has
)
"""What moves the cursor, changes colours, turns the direction of text around, or cannot be seen."""


def clean(text: str) -> str:
    """`text` with what would act on a terminal written out: `\\u001b`, as JSON has it; lines end as they do here."""
    return ACTS.sub(lambda match: escaped(match[0]), text.replace("\r\n", "\n"))


def escaped(sign: str) -> str:
    """`\\u00e9` for a sign, two of them beyond U+FFFF, as JSON has it."""
    units = sign.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))
