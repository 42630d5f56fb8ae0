"""The version of the weights that a completion comes from, in a header of the server's answer."""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

HEADER = "x-weight-version"

_Message = MutableMapping[str, Any]
_Receive = Callable[[], Awaitable[_Message]]
_Send = Callable[[_Message], Awaitable[None]]


class Stamp:
    """ASGI middleware of a vLLM server: each answer under `/v1/` tells the version that was there when it was asked.

    vLLM itself tells the version at `/weight_info` only, where it may be another one than that of a completion.
    """

    def __init__(self, app: Callable[[_Message, _Receive, _Send], Awaitable[None]]) -> None:
        self._app = app

    async def __call__(self, scope: _Message, receive: _Receive, send: _Send) -> None:
        if scope["type"] != "http" or not scope["path"].startswith("/v1/"):
            await self._app(scope, receive, send)
            return
        version = await scope["app"].state.engine_client.get_weight_version()

        async def stamped(message: _Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], (HEADER.encode(), str(version).encode())]
            await send(message)

        await self._app(scope, receive, stamped)
