"""Weights that a model's files lack are an error: transformers would fill them with random numbers and go on."""

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager

from gpocli.errors import SpecError

_LOGGER = "transformers.modeling_utils"
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_MISSING = re.compile(r"^(\S+)\s*\|\s*MISSING\b", re.MULTILINE)


@contextmanager
def whole_weights(model: str) -> Iterator[None]:
    """Raise `SpecError` when a model that is loaded inside lacks weights; transformers only says so in its log."""
    reports = _Reports()
    logger = logging.getLogger(_LOGGER)
    level, propagate = logger.level, logger.propagate
    logger.addHandler(reports)
    logger.setLevel(logging.INFO)  # at WARNING, transformers also prints which layers it did not shard
    logger.propagate = False
    try:
        yield
    finally:
        logger.removeHandler(reports)
        logger.setLevel(level)
        logger.propagate = propagate
    missing = _MISSING.findall(_COLOUR.sub("", "\n".join(reports.texts)))
    if missing:
        shown = ", ".join(missing[:3]) + (f" and {len(missing) - 3} more" if len(missing) > 3 else "")
        raise SpecError(
            f"model '{model}' lacks weights that its config asks for ({shown}): they would be random numbers; save the "
            "model again, or mend its config.json"
        )


class _Reports(logging.Handler):
    """Keeps the texts of all records."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.texts.append(record.getMessage())
