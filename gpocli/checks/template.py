"""Chat templates tried without transformers: whether they can be read, and whether they refuse messages themselves.

Only what is certain is told. What a template says of anything else is heard when transformers applies it.
"""

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gpocli.data.tool_calls import is_quoted, with_probed_arguments

if TYPE_CHECKING:
    from jinja2 import Template

_TRAINING_TAG = re.compile(r"{%-?\s*(?:end)?generation\s*-?%}")
"""A tag of transformers' own, which changes nothing of the text."""


class _RefusalError(Exception):
    """What a template says by `raise_exception`."""


def template_fault(template: str) -> str | None:
    """Why a template cannot be read, with its line; None for one that can."""
    from jinja2 import TemplateSyntaxError

    try:
        _read(template)
    except TemplateSyntaxError as error:
        return f"{error.message}, line {error.lineno} of it"
    return None


def quotes_arguments(template: str, messages: Sequence[Any], given: Mapping[str, Any]) -> bool:
    """Whether a template certainly writes arguments of tool calls that are JSON text as a string."""
    try:
        text = _read(template).render(
            messages=with_probed_arguments(messages), add_generation_prompt=True, tools=None, documents=None, **given
        )
    except Exception:  # noqa: BLE001 - as in `refusal`
        return False
    return is_quoted(text)


def refusal(template: str, messages: Sequence[Any], given: Mapping[str, Any]) -> str | None:
    """What a template says when it refuses messages; None where it takes them, or fails in another way."""
    try:
        _read(template).render(messages=messages, add_generation_prompt=True, tools=None, documents=None, **given)
    except _RefusalError as said:
        return str(said)
    except Exception:  # noqa: BLE001 - a template may fail in any way, and here only for want of transformers
        return None
    return None


def _read(template: str) -> "Template":
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"]
    )
    environment.globals["raise_exception"] = _refuse
    return environment.from_string(_TRAINING_TAG.sub("", template))


def _refuse(text: str) -> None:
    raise _RefusalError(text)
