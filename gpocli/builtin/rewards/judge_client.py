"""Chat completions of any server with OpenAI's interface: several at once, each asked again when that may help."""

import asyncio
import json
import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gpocli.errors import EnvironmentFault

if TYPE_CHECKING:
    import httpx2

PATH = "/chat/completions"
_LARGEST = 4 * 2**20
"""Bytes of an answer; a judge needs a few thousand."""

_FIRST_WAIT, _LONGEST_WAIT = 0.5, 30.0
"""Seconds before a request is made again, twice as many each time, unless the server says how many."""

_AGAIN = frozenset({408, 409, 425, 429})
_REFUSED = frozenset({401, 404})
_SHOWN = 200


@dataclass(frozen=True, slots=True)
class Reply:
    """What a judge said to one request, and the tokens of the two where the server counts them."""

    text: str
    prompt_tokens: int = 0
    completion_tokens: int = 0


class Unanswered(Exception):
    """A request got no reply that can be used; `is_of_request`: the server will have nothing to do with this one."""

    def __init__(self, text: str, *, is_of_request: bool = False) -> None:
        super().__init__(text)
        self.is_of_request = is_of_request


class _Passing(Exception):
    """A fault that may pass; `wait`: the seconds that the server asks for."""

    def __init__(self, text: str, wait: float | None = None) -> None:
        super().__init__(text)
        self.wait = wait


class JudgeClient:
    """Asks one server, for the time of an `async with`; `requests` are those that were sent, again or not."""

    def __init__(self, url: str, key: str | None, *, concurrency: int, retries: int, seconds: float) -> None:
        self.url = url.rstrip("/")
        self.requests = 0
        self._key, self._retries, self._seconds = key, retries, seconds
        self._concurrency = concurrency
        self._dice = random.Random()  # that of the run decides about its training
        self._turn = asyncio.Semaphore(concurrency)
        self._http: httpx2.AsyncClient

    async def __aenter__(self) -> "JudgeClient":
        import httpx2

        headers = {} if self._key is None else {"Authorization": f"Bearer {self._key}"}
        limits = httpx2.Limits(max_connections=self._concurrency, max_keepalive_connections=self._concurrency)
        self._http = httpx2.AsyncClient(headers=headers, limits=limits, timeout=httpx2.Timeout(None))
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._http.aclose()

    async def ask(self, body: Mapping[str, Any]) -> Reply:
        """The reply to one request. Raises `Unanswered`, and `EnvironmentFault` where the server lets nobody in."""
        async with self._turn:
            for left in range(self._retries, -1, -1):
                try:
                    async with asyncio.timeout(self._seconds):
                        return await self._asked_once(body)
                except TimeoutError:
                    fault = _Passing(f"no answer within {self._seconds:g} seconds")
                except _Passing as passing:
                    fault = passing
                if left:
                    await asyncio.sleep(self._wait(self._retries - left, fault))
            raise Unanswered(str(fault))

    def _wait(self, tried: int, fault: _Passing) -> float:
        wait = _FIRST_WAIT * 2**tried if fault.wait is None else fault.wait
        return min(wait, _LONGEST_WAIT) * self._dice.uniform(1.0, 1.25)  # so that not all come back at once

    async def _asked_once(self, body: Mapping[str, Any]) -> Reply:
        import httpx2

        self.requests += 1
        try:
            async with self._http.stream("POST", self.url + PATH, json=body) as response:
                text = await _read(response)
        except httpx2.TransportError as error:
            raise _Passing(" ".join(str(error).split())[:_SHOWN] or type(error).__name__) from None
        except httpx2.InvalidURL as error:
            raise EnvironmentFault(f"the judge's url '{self.url}' is none ({error}); mend the option url") from None
        if response.status_code != httpx2.codes.OK:
            self._refuse(response.status_code, self._said_in(text), response.headers.get("retry-after"))
        return _reply(text)

    def _refuse(self, status: int, said: str, retry_after: str | None) -> None:
        if status in _REFUSED:
            raise EnvironmentFault(
                f"the judge at {self.url} refuses ({status}): {said}; check the options url, model and key_variable"
            )
        if status >= 500 or status in _AGAIN:
            raise _Passing(f"{status}: {said}", _seconds(retry_after))
        raise Unanswered(f"{status}: {said}", is_of_request=True)

    def _said_in(self, text: str) -> str:
        """The message in the body of an answer, in one line and without the key, which some servers repeat."""
        try:
            told = json.loads(text)
        except ValueError:
            told = text
        for name in ("error", "detail", "message"):
            told = told.get(name, told) if isinstance(told, dict) else told
        line = " ".join(str(told).split()) or "no reason was given"
        return (line.replace(self._key, "[key]") if self._key else line)[:_SHOWN]


async def _read(response: "httpx2.Response") -> str:
    text = bytearray()
    async for chunk in response.aiter_bytes():
        text += chunk
        if len(text) > _LARGEST:
            raise _Passing(f"an answer of more than {_LARGEST} bytes")
    return text.decode("utf-8", "replace")


def _reply(text: str) -> Reply:
    try:
        told = json.loads(text)
        content = told["choices"][0]["message"]["content"]
        usage = told.get("usage") or {}
        counts = [int(usage.get(name) or 0) for name in ("prompt_tokens", "completion_tokens")]
    except (ValueError, KeyError, IndexError, TypeError, AttributeError):
        raise _Passing(f"an answer that is no chat completion: {' '.join(text.split())[:80]!r}") from None
    return Reply(content if isinstance(content, str) else "", *counts)


def _seconds(retry_after: str | None) -> float | None:
    """What the header says where it is a number of seconds."""
    try:
        return max(float(retry_after), 0.0) if retry_after is not None else None
    except ValueError:  # a date
        return None
