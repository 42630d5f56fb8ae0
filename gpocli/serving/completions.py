"""One candidate from a vLLM server, token after token as it is drawn."""

import json
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, field
from typing import Any

import httpx2

from gpocli.errors import ServerFault, ServerLost
from gpocli.serving.client import refusal, said, said_in
from gpocli.serving.stamp import HEADER

PATH = "/v1/completions"
_DATA = "data: "
_UPDATE = "start a vLLM of version 0.31 or later with 'gpo serve'"


@dataclass(slots=True)
class Candidate:
    """What has come of a candidate so far; `reason` says why it ended, None while it runs."""

    tokens: list[int] = field(default_factory=list)
    logps: list[float] = field(default_factory=list)
    reason: str | None = None
    stamp: str | None = None
    """The version of the weights, where the server tells it."""


def open_http(url: str, connections: int) -> httpx2.AsyncClient:
    """A client for `connections` streams at once. A stream may be silent for long: its reader watches over that."""
    return httpx2.AsyncClient(
        base_url=url,
        timeout=httpx2.Timeout(None, connect=30.0),
        limits=httpx2.Limits(max_connections=connections, max_keepalive_connections=0),
    )


async def stream(http: httpx2.AsyncClient, body: Mapping[str, Any], *, vocabulary: int) -> AsyncGenerator[Candidate]:
    """Yield the same candidate, grown, each time that the server tells of tokens, and when it ended.

    Whoever stops reading closes the connection, and the server stops drawing. Raises `ServerLost` for a stream that
    breaks off, `ServerFault` for an answer that cannot be used.
    """
    url, candidate = str(http.base_url).rstrip("/"), Candidate()
    try:
        async with http.stream("POST", PATH, json=asked_for(body)) as response:
            if response.status_code != httpx2.codes.OK:
                fault = refusal(url, PATH, response.status_code, (await response.aread()).decode(errors="replace"))
                is_lost = response.status_code >= httpx2.codes.INTERNAL_SERVER_ERROR
                raise ServerLost(str(fault)) if is_lost else fault
            candidate.stamp = response.headers.get(HEADER)
            async for line in response.aiter_lines():
                if line.startswith(_DATA + "{"):
                    _grow(candidate, line.removeprefix(_DATA), url, vocabulary)
                    yield candidate
    except httpx2.TransportError as error:
        raise ServerLost(f"the vLLM server at {url} broke off a completion ({said(error)})") from error
    if candidate.reason is None or candidate.reason == "abort":
        raise ServerLost(f"the vLLM server at {url} broke off a completion ({candidate.reason or 'it has no end'})")


def asked_for(body: Mapping[str, Any]) -> dict[str, Any]:
    """A request for a streamed completion that tells token ids and their log-probabilities."""
    return {"stream": True, "logprobs": 0, "return_token_ids": True, "stream_interval": 1, **body}


def _grow(candidate: Candidate, text: str, url: str, vocabulary: int) -> None:
    told = json.loads(text)
    if "choices" not in told:
        raise ServerLost(f"the vLLM server at {url} failed while it drew a completion: {said_in(text)}")
    choice = told["choices"][0]
    tokens = choice.get("token_ids")
    if tokens is None:
        raise ServerFault(f"the server at {url} tells no token ids; {_UPDATE}")
    logps = (choice.get("logprobs") or {}).get("token_logprobs") or []
    if len(logps) != len(tokens):
        raise ServerFault(
            f"the server at {url} tells {len(logps)} log-probabilities of {len(tokens)} tokens; {_UPDATE}"
        )
    if tokens and not 0 <= min(tokens) <= max(tokens) < vocabulary:
        raise ServerFault(
            f"the server at {url} drew the token {max(tokens)}, and the model has {vocabulary:,}: it serves another "
            "model; start the right one with 'gpo serve'"
        )
    candidate.tokens += tokens
    candidate.logps += [float("nan") if logp is None else logp for logp in logps]
    candidate.reason = choice.get("finish_reason")
