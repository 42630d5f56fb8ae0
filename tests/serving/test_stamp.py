"""The version of the weights is in the header of each answer that has completions."""

import asyncio
from types import SimpleNamespace

from gpocli.serving.stamp import HEADER, Stamp


def headers_of(scope):
    sent = []

    async def app(scope, receive, send):
        await send({"type": "http.response.start", "headers": [(b"a", b"b")]})
        await send({"type": "http.response.body"})

    async def send(message):
        sent.append(message)

    async def version():
        return "7"

    state = SimpleNamespace(engine_client=SimpleNamespace(get_weight_version=version))
    asyncio.run(Stamp(app)({"app": SimpleNamespace(state=state), **scope}, None, send))
    return [message.get("headers") for message in sent]


def test_a_completion_has_it():
    stamped = [(b"a", b"b"), (HEADER.encode(), b"7")]
    assert headers_of({"type": "http", "path": "/v1/completions"}) == [stamped, None]


def test_nothing_else_has():
    assert headers_of({"type": "http", "path": "/health"}) == [[(b"a", b"b")], None]
    assert headers_of({"type": "lifespan"}) == [[(b"a", b"b")], None]
