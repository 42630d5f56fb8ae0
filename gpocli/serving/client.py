"""The control endpoints of a vLLM server: each fault is one line with its cure."""

import json
import re
import time
from collections.abc import Callable
from typing import Any

import httpx2

from gpocli.errors import ServerFault, ServerLost

_ASKS = httpx2.Timeout(30.0, connect=5.0)
_WORKS = httpx2.Timeout(1800.0, connect=5.0)
"""Weights of a large model take minutes to read, and requests under way may have to end first."""
_BETWEEN_LOOKS = 0.5
_SHOWN = 200
_OF_A_WORKER = re.compile("Worker failed with error '(.*)', please check")


class Control:
    """Asks a server one thing at a time, over a connection each: after an answer 500 vLLM closes the one it used.

    Nothing is asked twice. Raises `ServerLost` where there is no answer, `ServerFault` for one that is no use.
    """

    def __init__(self, url: str) -> None:
        self.url = url.rstrip("/")
        self._http = httpx2.Client(base_url=self.url, limits=httpx2.Limits(max_keepalive_connections=0))

    def get(self, path: str, **query: str) -> Any:
        return self._ask("GET", path, timeout=_ASKS, params=query)

    def post(self, path: str, body: Any = None, **query: str) -> Any:
        return self._ask("POST", path, timeout=_WORKS, params=query, json=body)

    def tell(self, path: str, body: Any) -> None:
        """Post where the answer is a text that says no more than that it was done."""
        self._ask("POST", path, timeout=_WORKS, json=body, is_read=False)

    def is_up(self) -> bool:
        """Whether the server answers and its engine runs."""
        try:
            return self._http.get("/health", timeout=_ASKS).status_code == httpx2.codes.OK
        except httpx2.HTTPError:
            return False

    def wait(self, seconds: float, tell: Callable[[float], None], is_over: Callable[[], bool] = lambda: False) -> bool:
        """Wait until the server is up, `seconds` at most or until `is_over`; `tell` hears how long it has waited."""
        start = time.monotonic()
        while not self.is_up():
            waited = time.monotonic() - start
            if waited >= seconds or is_over():
                return False
            tell(waited)
            time.sleep(_BETWEEN_LOOKS)
        return True

    def _ask(self, method: str, path: str, *, is_read: bool = True, **options: Any) -> Any:
        try:
            response = self._http.request(method, path, **options)
        except httpx2.InvalidURL as error:
            raise ServerFault(f"'{self.url}' is no address of a server: {error}") from error
        except httpx2.TransportError as error:
            raise ServerLost(f"the vLLM server at {self.url} does not answer ({said(error)}); {START}") from error
        if response.status_code != httpx2.codes.OK:
            raise refusal(self.url, path, response.status_code, response.text)
        try:
            return response.json() if is_read and response.content else None
        except ValueError:
            raise ServerFault(f"what answers at {self.url}{path} is no vLLM server; {START}") from None


START = "start one with 'gpo serve', or name another one in sampling.vllm.url"


def refusal(url: str, path: str, status: int, text: str) -> ServerFault:
    """What an answer other than 200 means."""
    reason = said_in(text)
    if status == httpx2.codes.NOT_FOUND and not path.startswith("/v1/"):
        return ServerFault(
            f"the vLLM server at {url} has no {path.split('?')[0]}, by which gpo watches over its weights; start it "
            "with VLLM_SERVER_DEV_MODE=1 in its environment, as 'gpo serve' does, and with vLLM 0.31 or later"
        )
    if status == httpx2.codes.NOT_FOUND:
        return ServerFault(f"the vLLM server at {url} says: {reason}; write its name for the model in "
                                "sampling.vllm.model")  # fmt: skip
    if status < httpx2.codes.INTERNAL_SERVER_ERROR:
        return ServerFault(f"the vLLM server at {url} refuses {path} ({status}): {reason}")
    return ServerFault(f"the vLLM server at {url} failed at {path} ({status}): {reason}; its log tells more")


def said_in(text: str) -> str:
    """The message in the body of an answer, in one line."""
    try:
        told = json.loads(text)
    except ValueError:
        told = text
    if isinstance(told, dict):
        told = told.get("error", told.get("detail", told))
    if isinstance(told, dict):
        told = told.get("message", told)
    text = " ".join(str(told).split())
    if of_worker := _OF_A_WORKER.search(text):
        text = of_worker[1]
    return text[:_SHOWN].rstrip(".,;") or "no reason was given"


def said(error: Exception) -> str:
    """What went wrong with a connection, in a few words."""
    return " ".join(str(error).split())[:_SHOWN].rstrip(".") or type(error).__name__
