"""Weights that a model's files lack are an error: transformers would fill them with random numbers and go on."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from logging import INFO, getLogger
from logging.handlers import MemoryHandler

from gpocli.errors import SpecError

_LOGGER = "transformers.modeling_utils"
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_MISSING = re.compile(r"^(\S+)\s*\|\s*MISSING\b", re.MULTILINE)


@contextmanager
def whole_weights(model: str) -> Iterator[None]:
    """Raise `SpecError` when a model that is loaded inside lacks weights; transformers only says so in its log."""
    reports = MemoryHandler(capacity=0)  # without a target it keeps all records
    logger = getLogger(_LOGGER)
    level, propagate = logger.level, logger.propagate
    logger.addHandler(reports)
    logger.setLevel(INFO)  # at WARNING, transformers also prints which layers it did not shard
    logger.propagate = False
    try:
        yield
    finally:
        logger.removeHandler(reports)
        logger.setLevel(level)
        logger.propagate = propagate
    text = "\n".join(record.getMessage() for record in reports.buffer)
    missing = _MISSING.findall(_COLOUR.sub("", text))
    if missing:
        shown = ", ".join(missing[:3]) + (f" and {len(missing) - 3} more" if len(missing) > 3 else "")
        raise SpecError(
            f"model '{model}' lacks weights that its config asks for ({shown}): they would be random numbers; save the "
            "model again, or mend its config.json"
        )
