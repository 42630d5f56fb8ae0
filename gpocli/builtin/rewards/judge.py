"""The reward that a language model gives, asked through any server with OpenAI's interface."""

import asyncio
import json
import logging
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gpocli.builtin.rewards.columns import column, one_each
from gpocli.builtin.rewards.judge_cache import ReplyCache
from gpocli.builtin.rewards.judge_client import JudgeClient, Reply, Unanswered
from gpocli.builtin.rewards.judge_options import TEMPLATE, JudgeOptions
from gpocli.builtin.rewards.judge_text import SCORE, filled, places, prompt_text, read_score
from gpocli.builtin.rewards.thinking import stated_after_thinking
from gpocli.contracts.completion import completion_text
from gpocli.errors import EnvironmentFault, PluginError
from gpocli.extensions import RewardExtension

logger = logging.getLogger(__name__)

GIVEN = ("prompt", "completion")
"""The names of a template that are no data columns."""


@dataclass(slots=True)
class Asked:
    """One request, and what came of it: a reward, or the fault for which it has none."""

    body: dict[str, Any]
    reply: Reply | None = None
    is_cached: bool = False
    fault: Unanswered | None = None


class Judge:
    """The number in the reply of a judge, from 0 at `lowest` to 1 at `highest`.

    0 where the reply holds no number between the two, or the server refuses the request (as when it is too long):
    a completion must not escape by confusing its judge. None where the server gave no reply, which is not the
    completion's fault. A call of which no request was answered has failed.

    Logs, for each call of a process: `NAME/requests`, `NAME/prompt_tokens` and `NAME/completion_tokens`, what it
    cost; and as shares of the completions `NAME/cached`, `NAME/unreadable` and `NAME/failed`.
    """

    __name__ = "judge"

    def __init__(self, options: JudgeOptions) -> None:
        self.options = options
        self._template = options.template or TEMPLATE
        self.columns = tuple(name for name in places(self._template) if name not in GIVEN)
        self._pattern = re.compile(options.score or SCORE)
        self._cache = None if options.cache is None else ReplyCache(Path(options.cache).expanduser())
        self._url = (options.url or "").rstrip("/")
        _key(options.key_variable)

    async def __call__(
        self, completions: Sequence[Any], prompts: Sequence[Any] | None = None, **columns: Any
    ) -> list[float | None]:
        rows = len(completions)
        held = {name: column(columns, name, self.__name__, rows) for name in self.columns}
        prompts = one_each(prompts, rows)
        bodies = [
            self._body(completions[row], prompts[row], {name: cells[row] for name, cells in held.items()})
            for row in range(rows)
        ]
        asked = {key: Asked(body) for key, body in ((_content(body), body) for body in bodies if body is not None)}
        requests = await self._ask([*asked.values()])
        of_rows = [None if body is None else asked[_content(body)] for body in bodies]
        rewards = [0.0 if one is None else self._reward(one) for one in of_rows]
        self._tell([*asked.values()], of_rows, requests, columns.get("log_metric"))
        return rewards

    def _body(self, completion: Any, prompt: Any, cells: Mapping[str, Any]) -> dict[str, Any] | None:
        """The request about a completion; None for one that has no answer."""
        options = self.options
        text = completion_text(completion)
        if options.part == "answer":
            stated = stated_after_thinking(completion, options.opening, prompt)
            if stated is None:
                return None
            text = stated.strip()
        values = {**cells, "prompt": prompt_text(prompt or ""), "completion": text}
        messages = [{"role": "user", "content": filled(self._template, values)}]
        if options.system is not None:
            messages.insert(0, {"role": "system", "content": options.system})
        limits = {"temperature": options.temperature, "max_tokens": options.reply_tokens}
        given = {name: value for name, value in limits.items() if value is not None}
        return {"model": options.model, "messages": messages, **given, **(options.body or {})}

    async def _ask(self, asked: Sequence[Asked]) -> int:
        """Fill in what comes of each; the number of requests that were sent."""
        for one in asked:
            reply = None if self._cache is None else self._cache.find(self._url, one.body)
            if reply is not None:
                one.reply, one.is_cached = Reply(reply), True
        left = [one for one in asked if one.reply is None]
        if not left:
            return 0
        options = self.options
        client = JudgeClient(
            self._url,
            _key(options.key_variable),
            concurrency=options.concurrency,
            retries=options.retries,
            seconds=options.request_seconds,
        )
        async with client:
            await self._ask_all(client, left)
        self._require_any(asked, left)
        return client.requests

    async def _ask_all(self, client: JudgeClient, left: Sequence[Asked]) -> None:
        tasks = [asyncio.create_task(self._ask_one(client, one)) for one in left]
        try:
            seconds = self.options.batch_seconds
            done, late = await asyncio.wait(tasks, timeout=seconds, return_when=asyncio.FIRST_EXCEPTION)
            for task in done:
                task.result()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        for one in left if late else ():
            if one.reply is None and one.fault is None:
                one.fault = Unanswered(f"the batch was not done within batch_seconds, {seconds:g}")

    async def _ask_one(self, client: JudgeClient, one: Asked) -> None:
        try:
            one.reply = await client.ask(one.body)
        except Unanswered as fault:
            one.fault = fault
            return
        if self._cache is not None and self._read(one.reply) is not None:
            self._cache.keep(self._url, one.body, one.reply.text)

    def _require_any(self, asked: Sequence[Asked], left: Sequence[Asked]) -> None:
        faults = [one.fault for one in left if one.fault is not None]
        if not faults:
            return
        if len(faults) == len(asked):
            raise PluginError(
                f'reward "{self.__name__}": the judge at {self._url} answered none of {len(faults)} requests, the last '
                f"with: {faults[-1]}; see to it, or give it more time with request_seconds and retries"
            )
        logger.warning("%s: %d of %d requests got no reply: %s", self.__name__, len(faults), len(asked), faults[-1])

    def _read(self, reply: Reply) -> float | None:
        return read_score(reply.text, self._pattern, self.options.lowest, self.options.highest)

    def _reward(self, one: Asked) -> float | None:
        if one.reply is not None:
            return self._read(one.reply) or 0.0
        return 0.0 if one.fault is not None and one.fault.is_of_request else None

    def _tell(
        self,
        asked: Sequence[Asked],
        of_rows: Sequence[Asked | None],
        requests: int,
        log: Callable[[str, float], None] | None,
    ) -> None:
        if log is None or not of_rows:
            return
        replies = [one.reply for one in asked if one.reply is not None]
        rows = [one for one in of_rows if one is not None]
        log(f"{self.__name__}/requests", float(requests))
        log(f"{self.__name__}/prompt_tokens", float(sum(reply.prompt_tokens for reply in replies)))
        log(f"{self.__name__}/completion_tokens", float(sum(reply.completion_tokens for reply in replies)))
        unread = sum(one.reply is not None and self._read(one.reply) is None for one in rows)
        log(f"{self.__name__}/unreadable", unread / len(of_rows))
        log(f"{self.__name__}/cached", sum(one.is_cached for one in rows) / len(of_rows))
        log(f"{self.__name__}/failed", sum(one.fault is not None for one in rows) / len(of_rows))


def _content(body: Mapping[str, Any]) -> str:
    return json.dumps(body, sort_keys=True, default=str)


def _key(variable: str) -> str | None:
    """The key; None where there is none. Raises `EnvironmentFault` for one that no header can hold."""
    key = os.environ.get(variable, "").strip()
    if not key.isascii() or not key.isprintable():
        raise EnvironmentFault(f"{variable} holds signs that no key has; set it again")
    return key or None


EXTENSION = RewardExtension(
    name="judge",
    build=Judge,
    summary="what a language model says of a completion, from 0 to 1, through OpenAI's interface",
    options=JudgeOptions,
)
