"""What is switched off of the libraries below."""

import logging
import os
import warnings

import pytest

from gpocli.training.quiet import quiet_libraries


@pytest.fixture(autouse=True)
def as_before(monkeypatch):
    """Give back environment, log level and warning filters."""
    monkeypatch.setattr(os, "environ", dict(os.environ))
    level = logging.getLogger().level
    with warnings.catch_warnings():
        yield
    logging.getLogger().setLevel(level)
    logging.lastResort.setFormatter(None)


@pytest.mark.parametrize(("telemetry", "ping"), [(False, "1"), (True, None)])
def test_the_usage_ping_is_sent_only_where_it_is_asked_for(telemetry, ping):
    os.environ.pop("HF_HUB_DISABLE_TELEMETRY", None)
    quiet_libraries(telemetry=telemetry)
    assert os.environ.get("HF_HUB_DISABLE_TELEMETRY") == ping


def test_errors_alone_are_logged():
    quiet_libraries(telemetry=False)
    assert logging.getLogger().level == logging.ERROR


def test_what_is_logged_does_nothing_on_a_terminal():
    quiet_libraries(telemetry=False)
    record = logging.LogRecord("someone", logging.ERROR, "", 1, "bad: %s", ("\x1b[2J",), None)
    assert logging.lastResort.format(record) == "bad: \\u001b[2J"
