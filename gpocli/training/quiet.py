"""What the libraries below say is left out: a run has its own display, log and messages."""

import logging
import os
import warnings

from gpocli.display.clean import clean


def quiet_libraries(*, telemetry: bool) -> None:
    """Switch off the bars, log noise and, unless asked for, the usage ping of the libraries below.

    To be called before any of them is imported, since they read these variables then.
    """
    if not telemetry:
        os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"
    os.environ["TRL_EXPERIMENTAL_SILENCE"] = "1"
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    os.environ["HF_HUB_DISABLE_PROGRESS_BARS"] = "1"
    os.environ["HF_DATASETS_DISABLE_PROGRESS_BARS"] = "1"
    os.environ["TORCH_CPP_LOG_LEVEL"] = "ERROR"
    logging.getLogger().setLevel(logging.ERROR)
    if logging.lastResort is not None:
        logging.lastResort.setFormatter(_CleanLines())
    logging.getLogger("DeepSpeed").addFilter(_is_error)  # it sets its own level when it is imported
    warnings.simplefilter("ignore")


class _CleanLines(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        return clean(super().format(record))


def _is_error(record: logging.LogRecord) -> bool:
    return record.levelno >= logging.ERROR


def quiet_transformers() -> None:
    """Switch off what transformers shows even so."""
    from transformers.utils import logging as transformers_logging

    transformers_logging.set_verbosity_error()
    transformers_logging.disable_progress_bar()
