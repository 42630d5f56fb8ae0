"""Options of built-ins refuse what they do not know and what is of another type."""

import pytest
from pydantic import ValidationError

from gpocli.builtin.options import Options


class Mine(Options):
    level: int = 1


@pytest.mark.parametrize("values", [{"levle": 2}, {"level": "2"}, {"level": 2.5}])
def test_what_is_wrong_is_refused(values):
    with pytest.raises(ValidationError):
        Mine(**values)


def test_options_do_not_change():
    with pytest.raises(ValidationError):
        Mine(level=2).level = 3
