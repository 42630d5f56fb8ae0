"""A server without a model, for what needs no completion."""

import socket

import pytest

from tests.serving.stand_in import running


@pytest.fixture
def stand_in():
    with running() as server:
        yield server


@pytest.fixture
def unused_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]
