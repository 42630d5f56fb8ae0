"""A server without a model, for what needs no completion."""

import pytest

from tests.serving.stand_in import running


@pytest.fixture
def stand_in():
    with running() as server:
        yield server
