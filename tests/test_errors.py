"""Errors carry the exit code of the command line, and those of other libraries become one line."""

import signal

import pytest

from gpocli import errors
from gpocli.errors import (
    EnvironmentFault,
    GpoError,
    GuardError,
    Interrupted,
    PluginError,
    SpecError,
    counted,
    everywhere,
    first_line,
)


@pytest.mark.parametrize(
    ("error", "code"), [(SpecError, 2), (PluginError, 3), (GuardError, 4), (EnvironmentFault, 5), (GpoError, 1)]
)
def test_exit_codes(error, code):
    assert error("x").exit_code == code


@pytest.mark.parametrize(
    ("number", "requeue", "code"),
    [(signal.SIGTERM, False, 143), (signal.SIGUSR1, False, 143), (signal.SIGHUP, True, 75), (signal.SIGINT, True, 130)],
)
def test_an_interrupt_exits_as_the_user_or_the_scheduler_expects(number, requeue, code):
    assert Interrupted("stopped", number, requeue=requeue).exit_code == code


def test_what_all_processes_raise_is_said_by_the_main_one():
    main, other = (everywhere(SpecError("x"), is_main=is_main) for is_main in (True, False))
    assert (str(main), str(other), other.exit_code, other.is_everywhere) == ("x", "", 2, True)


def test_all_are_of_one_family():
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type)]
    assert all(issubclass(kind, GpoError) for kind in kinds)


@pytest.mark.parametrize(
    ("text", "line"), [("\n no such file.\nat line 3", "no such file"), ("", "ValueError"), ("x" * 400, "x" * 300)]
)
def test_the_first_line_of_an_error(text, line):
    assert first_line(ValueError(text)) == line


@pytest.mark.parametrize(("count", "text"), [(0, "0 groups"), (1, "1 group"), (1000, "1,000 groups")])
def test_things_are_counted(count, text):
    assert counted(count, "group") == text
