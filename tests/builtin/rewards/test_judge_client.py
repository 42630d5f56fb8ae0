import asyncio

import pytest

from gpocli.builtin.rewards import judge_client
from gpocli.builtin.rewards.judge_client import JudgeClient, Reply, Unanswered
from gpocli.errors import EnvironmentFault
from tests.builtin.rewards.judge_server import judge_server, seen


@pytest.fixture(scope="module")
def url():
    with judge_server() as url:
        yield url


@pytest.fixture(autouse=True)
def short_waits(monkeypatch):
    monkeypatch.setattr(judge_client, "_FIRST_WAIT", 0.01)


def ask(url, *texts, key=None, concurrency=4, retries=2, seconds=20.0):
    """The replies to requests, or what was raised, and the number of requests that were sent."""

    async def asked():
        bodies = [{"model": "m", "messages": [{"role": "user", "content": text}]} for text in texts]
        async with JudgeClient(url, key, concurrency=concurrency, retries=retries, seconds=seconds) as client:
            replies = await asyncio.gather(*map(client.ask, bodies), return_exceptions=True)
        return replies, client.requests

    return asyncio.run(asked())


def test_a_reply_with_its_tokens(url):
    assert ask(url, "worth=4 (plain)") == ([Reply("It has its merits.\n**Score:** 4", 10, 3)], 1)


@pytest.mark.parametrize("fault", ["429", "500", "html", "empty", "huge", "drop"])
def test_a_fault_that_passes_is_asked_about_again(url, fault):
    (reply,), requests = ask(url, f"worth=4 fault={fault}")
    assert (reply.text[-1], requests) == ("4", 2)


def test_a_slow_answer_is_asked_for_again(url):
    (reply,), requests = ask(url, "worth=4 fault=slow", seconds=0.5, retries=50)
    assert reply.text[-1] == "4"
    assert requests >= 2


@pytest.mark.parametrize(
    ("fault", "said"),
    [("429", "429: slow down"), ("500", "500: broken"), ("html", "an answer that is no chat completion: '<html>a")],
)
def test_a_fault_that_stays_is_told_after_all_tries(url, fault, said):
    (error,), requests = ask(url, f"always fault={fault}!")
    assert isinstance(error, Unanswered)
    assert str(error).startswith(said)
    assert (error.is_of_request, requests) == (False, 3)


def test_a_request_that_is_refused_is_not_made_again(url):
    (error,), requests = ask(url, "fault=400!")
    assert (str(error), error.is_of_request, requests) == ("400: it is too long", True, 1)


def test_a_reply_without_text_is_empty(url):
    assert ask(url, "fault=nothing!")[0] == [Reply("")]


def test_a_wrong_key_is_told_without_it(url):
    (error,), _ = ask(url, "fault=401", key="sk-secret")
    assert isinstance(error, EnvironmentFault)
    assert str(error) == (
        f"the judge at {url} refuses (401): wrong key Bearer [key]; check the options url, model and key_variable"
    )


def test_nobody_at_the_other_end():
    (error,), requests = ask("http://127.0.0.1:9/v1", "x", retries=1)
    assert isinstance(error, Unanswered)
    assert requests == 2


def test_no_more_at_once_than_allowed(url):
    replies, _ = ask(url, *[f"worth=1 number {number}" for number in range(20)], concurrency=3)
    assert all(isinstance(reply, Reply) for reply in replies)
    assert seen(url)[1] <= 4  # those of other tests
