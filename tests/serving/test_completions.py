"""A candidate as it is streamed, and what no candidate can be made of."""

import asyncio
import json
from contextlib import aclosing

import pytest

from gpocli.errors import EnvironmentFault, ServerLost
from gpocli.serving.completions import open_http, stream

BODY = {"model": "m", "prompt": [1], "max_tokens": 3}


def chunk(tokens, logps, reason=None):
    return {"choices": [{"token_ids": tokens, "logprobs": {"token_logprobs": logps}, "finish_reason": reason}]}


def read(server, *chunks, end="data: [DONE]\n\n"):
    """The candidate after each chunk that the server tells, as (tokens, log-probabilities, reason)."""
    text = "".join(f"data: {one if isinstance(one, str) else json.dumps(one)}\n\n" for one in chunks) + end
    server.answers.setdefault("/v1/completions", (200, text))

    async def all_of():
        async with open_http(server.url, 4) as http, aclosing(stream(http, BODY, vocabulary=9)) as told:
            return [(list(c.tokens), list(c.logps), c.reason) async for c in told]

    return asyncio.run(all_of())


def test_tokens_add_up_to_the_end(stand_in):
    told = read(stand_in, chunk([3], [-1.0]), chunk([4, 8], [-2.0, -0.5], "stop"))
    assert told == [([3], [-1.0], None), ([3, 4, 8], [-1.0, -2.0, -0.5], "stop")]
    ((_, body),) = stand_in.bodies
    assert body == {"stream": True, "logprobs": 0, "return_token_ids": True, "stream_interval": 1} | BODY


@pytest.mark.parametrize(
    ("bad", "line"),
    [
        ({"choices": [{"finish_reason": None, "text": "x"}]}, "tells no token ids; start a vLLM of version 0.31"),
        (chunk([3], []), "tells 0 log-probabilities of 1 tokens; start a vLLM of version 0.31 or later"),
        ({"choices": [{"token_ids": [3], "logprobs": None}]}, "tells 0 log-probabilities of 1 tokens"),
        (chunk([9], [-1.0]), "drew the token 9, and the model has 9: it serves another model; start the right one"),
    ],
)
def test_an_answer_that_is_no_use_is_told_with_its_cure(stand_in, bad, line):
    with pytest.raises(EnvironmentFault, match=line) as fault:
        read(stand_in, bad)
    assert not isinstance(fault.value, ServerLost)


@pytest.mark.parametrize(
    ("chunks", "line"),
    [
        ([chunk([3], [-1.0])], r"broke off a completion \(it has no end\)"),
        ([chunk([3], [-1.0], "abort")], r"broke off a completion \(abort\)"),
        ([], r"broke off a completion \(it has no end\)"),
        ([{"error": {"message": "EngineCore died."}}], "failed while it drew a completion: EngineCore died"),
    ],
)
def test_a_stream_that_breaks_off_is_a_lost_server(stand_in, chunks, line):
    with pytest.raises(ServerLost, match=line):
        read(stand_in, *chunks)


def test_an_answer_500_is_a_lost_server_and_400_is_not(stand_in):
    stand_in.answers["/v1/completions"] = 500, {"error": {"message": "boom"}}
    with pytest.raises(ServerLost, match=r"failed at /v1/completions \(500\): boom"):
        read(stand_in)
    stand_in.answers["/v1/completions"] = 400, {"error": {"message": "too long"}}
    with pytest.raises(EnvironmentFault, match=r"refuses /v1/completions \(400\): too long") as fault:
        read(stand_in)
    assert not isinstance(fault.value, ServerLost)


def test_a_server_that_is_gone_is_lost(stand_in):
    stand_in.is_lost = True
    with pytest.raises(ServerLost, match="broke off a completion"):
        read(stand_in)
