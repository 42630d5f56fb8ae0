import asyncio
import json
import os
import subprocess
import sys

import pytest

from gpocli.builtin.rewards import judge_client
from gpocli.builtin.rewards.judge import EXTENSION
from gpocli.builtin.rewards.judge_options import JudgeOptions
from gpocli.contracts.reward import checked_rewards
from gpocli.contracts.reward_call import RewardRules
from gpocli.errors import EnvironmentFault, PluginError, SpecError
from tests.builtin.rewards.judge_server import judge_server, seen


@pytest.fixture(scope="module")
def url():
    with judge_server() as url:
        yield url


@pytest.fixture(autouse=True)
def short_waits(monkeypatch):
    monkeypatch.setattr(judge_client, "_FIRST_WAIT", 0.01)


def build(url, **options):
    return EXTENSION.build(JudgeOptions(**{"url": url, "model": "m", "cache": None, "retries": 1, **options}))


def judged(url, *completions, log=None, prompt="2+2=?", columns=None, **options):
    reward = build(url, **options)
    prompts = [prompt] * len(completions)
    return asyncio.run(reward(completions=list(completions), prompts=prompts, log_metric=log, **columns or {}))


def test_the_score_is_the_reward(url):
    assert judged(url, "worth=7", "worth=0", "worth=10") == [0.7, 0.0, 1.0]


def test_what_the_judge_is_asked(url):
    judged(
        url, "<think>hm</think> asked about {answer}", template="{prompt}|{completion}|{answer}", system="Be fair.",
        columns={"answer": ["4"]}, body={"seed": 7}, temperature=None, reply_tokens=50,
    )  # fmt: skip
    assert seen(url)[0][-1]["body"] == {
        "model": "m",
        "messages": [
            {"role": "system", "content": "Be fair."},
            {"role": "user", "content": "2+2=?|asked about {answer}|4"},
        ],
        "max_tokens": 50,
        "seed": 7,
    }


def test_messages_are_read(url):
    chat = [{"role": "assistant", "content": "worth=3"}]
    assert judged(url, chat, prompt=[{"role": "user", "content": "?"}]) == [0.3]


def test_all_of_a_completion_can_be_judged(url):
    assert judged(url, "<think>worth=3</think>no", part="all") == [0.3]


def test_a_thought_without_an_end_gets_nothing_and_is_not_asked_about(url):
    before = len(seen(url)[0])
    assert judged(url, "<think>worth=10") == [0.0]
    assert len(seen(url)[0]) == before


@pytest.mark.parametrize("completion", ["fault=mute!", "fault=nothing!", "worth=11", "worth=-1"])
def test_a_reply_without_a_score_is_worth_nothing(url, completion):
    assert judged(url, completion) == [0.0]


def test_a_completion_that_the_server_refuses_is_worth_nothing(url):
    assert judged(url, "fault=400!", "worth=5") == [0.0, 0.5]


def test_one_without_a_reply_has_no_reward(url):
    assert judged(url, "fault=500! (here)", "worth=5") == [None, 0.5]


def test_a_call_without_any_reply_has_failed(url):
    with pytest.raises(PluginError, match=r"answered none of 2 requests, the last with: 500: broken; see to it"):
        judged(url, "fault=500! (a)", "fault=500! (b)")


def test_what_is_not_done_in_time_has_no_reward(url, tmp_path):
    judged(url, "worth=5", cache=str(tmp_path))
    assert judged(url, "fault=slow! (a)", "worth=5", cache=str(tmp_path), batch_seconds=0.2) == [None, 0.5]


def test_a_deadline_of_the_call_holds(url):
    (reward,) = checked_rewards([build(url)], ["judge"], [RewardRules(0.5, "zero")], note=[].append)
    call = reward(prompts=["?"], completions=["fault=slow! (b)"], completion_ids=[[1]])
    assert asyncio.run(call) == [0.0]


def test_what_it_cost_is_told(url):
    told = {}
    judged(url, "worth=1 cost", "worth=1 cost", "fault=429 cost", "fault=mute! cost", log=told.__setitem__)
    # three requests, one of them twice; each answer says that it read 10 tokens and wrote 3
    assert told == {
        "judge/requests": 4.0, "judge/prompt_tokens": 30.0, "judge/completion_tokens": 9.0,
        "judge/unreadable": 0.25, "judge/cached": 0.0, "judge/failed": 0.0,
    }  # fmt: skip


def test_replies_are_kept(url, tmp_path):
    first, second = {}, {}
    texts = ("worth=1 kept", "fault=mute! kept")
    assert judged(url, *texts, cache=str(tmp_path), log=first.__setitem__) == [0.1, 0.0]
    assert judged(url, *texts, cache=str(tmp_path), log=second.__setitem__) == [0.1, 0.0]
    # what could not be read is asked for again
    assert (first["judge/requests"], second["judge/requests"], second["judge/cached"]) == (2.0, 1.0, 0.5)


def test_the_key_is_sent_and_stands_nowhere(url, tmp_path, monkeypatch):
    monkeypatch.setenv("GPO_JUDGE_KEY", " sk-secret\n")
    judged(url, "worth=1 keyed", cache=str(tmp_path))
    assert seen(url)[0][-1]["authorization"] == "Bearer sk-secret"
    assert not any("sk-secret" in file.read_text() for file in tmp_path.rglob("*.json"))
    assert "sk-secret" not in json.dumps(JudgeOptions(url=url, model="m").model_dump())


def test_without_a_key_none_is_sent(url, monkeypatch):
    monkeypatch.delenv("GPO_JUDGE_KEY", raising=False)
    judged(url, "worth=1 unkeyed")
    assert seen(url)[0][-1]["authorization"] is None


def test_a_key_that_is_none_is_told_before_the_run(url, monkeypatch):
    monkeypatch.setenv("MINE", "sk\nsecret")
    with pytest.raises(EnvironmentFault, match="MINE holds signs that no key has; set it again"):
        build(url, key_variable="MINE")


def test_a_wrong_key_ends_the_call(url):
    with pytest.raises(EnvironmentFault, match=r"refuses \(401\)"):
        judged(url, "fault=401", "worth=1")


def test_its_columns_are_those_of_the_template(url):
    assert build(url, template="{completion} {answer} {prompt} {rubric}").columns == ("answer", "rubric")


def test_a_column_that_is_missing_is_told(url):
    with pytest.raises(SpecError, match='needs the data column "rubric"'):
        judged(url, "x", template="{completion} {rubric}")


@pytest.mark.slow
def test_a_run_is_judged_and_holds_no_key(url, tmp_path):
    options = f"{{url: '{url}', model: m, part: all, cache: ./cache}}"
    command = [
        sys.executable, "-m", "gpocli", "train", "gfpo", "--out", "out",
        "--set", f"rewards=[{{name: judge, options: {options}}}]",
        "--set", "run.steps=1", "--set", "batch.prompts_per_step=2", "--set", "sampling.max_tokens=8",
    ]  # fmt: skip
    environment = os.environ | {"GPO_JUDGE_KEY": "sk-of-a-run", "HF_HUB_OFFLINE": "1"}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert any(one["authorization"] == "Bearer sk-of-a-run" for one in seen(url)[0])
    held = [file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()]
    assert not any(b"sk-of-a-run" in one for one in (*held, done.stdout.encode(), done.stderr.encode()))
    first = json.loads((tmp_path / "out" / "metrics.jsonl").read_text().splitlines()[0])
    assert first["judge/requests"] > 0
