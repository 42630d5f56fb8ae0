"""Candidates from a server: races, a server that dies, and answers that are no use."""

import json
import random
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from datasets import Dataset

from gpocli.errors import EnvironmentFault
from gpocli.trainers.engines.vllm_server import Draw
from tests.vllm_here import EMBEDDED, gpo_environment


class Shortest:
    needs_rewards = False

    def __call__(self, group_completions, group_rewards, completion_lengths, finished):
        return [
            [-float(length) if ended else -1e6 for length, ended in zip(lengths, ends, strict=True)]
            for lengths, ends in zip(completion_lengths, finished, strict=True)
        ]

    def score_bound(self, length):
        return -(length + 1.0)


def drawn(trainer):
    """Every candidate of a run as (group, number, tokens), and which were kept."""
    records = []
    trainer.on_candidates = records.extend
    trainer.train()
    everything = [(record.group, record.completion, list(record.tokens)) for record in records]
    return everything, [one for one, record in zip(everything, records, strict=True) if record.outcome == "kept"]


RACE = {"whole_every": 0, "group_filter_func": Shortest(), "max_completion_length": 40, "num_generations": 6}


def test_a_race_keeps_what_full_generation_keeps(served):
    class Looks(Shortest):
        score_bound = None

    full, kept = drawn(served(**(RACE | {"group_filter_func": Looks()})))
    raced, kept_of_race = drawn(served(**RACE))
    assert kept_of_race == kept
    count = [sum(len(tokens) for _, _, tokens in some) for some in (full, raced)]
    assert count[1] < 0.9 * count[0]
    for (_, _, whole), (_, _, part) in zip(full, raced, strict=True):
        assert whole[: len(part)] == part


def test_concurrency_changes_nothing(served):
    assert drawn(served(vllm_concurrency=1)) == drawn(served())


def test_a_server_that_dies_is_waited_for_and_the_step_goes_on_as_if_nothing_had_been(served, stand_in, monkeypatch):
    undisturbed = drawn(served())
    trainer = served()
    monkeypatch.setattr(trainer.vllm_generation, "_wait", lambda *args: stand_in.restart())
    stand_in.lose_after = stand_in.drawn + 10
    assert drawn(trainer) == undisturbed
    assert trainer.notes == [f"the vLLM server at {stand_in.url} is back: it is given the weights again"]


def test_a_server_that_does_not_come_back_ends_the_run(served, stand_in):
    trainer = served()
    stand_in.lose_after = stand_in.drawn + 10
    with pytest.raises(EnvironmentFault) as fault:
        trainer.train()
    assert "broke off a completion" in str(fault.value)
    assert "waited 0 s for it; start one with 'gpo serve'" in str(fault.value)
    assert fault.value.exit_code == 5


def test_a_server_that_fails_at_the_same_place_ends_the_run(served, stand_in):
    trainer = served()
    trainer.vllm_generation._probe.compare = lambda: None
    stand_in.answers["/v1/completions"] = 500, {"error": {"message": "boom"}}
    with pytest.raises(EnvironmentFault, match=r"\(500\): boom; its log tells more; so it did 2 times"):
        trainer.train()


@pytest.mark.parametrize(
    ("spoil", "line"),
    [
        ({"finish_reason": "length"}, "cut a completion after 1 token, where sampling.max_tokens is 6: start it with"),
        ({"finish_reason": "stop", "token_ids": [5]}, "ended a completion after 1 token without an end token"),
        (
            {"finish_reason": "stop", "token_ids": [], "logprobs": None},
            "ended a completion after 0 tokens without an end token: it serves another model",
        ),
    ],
)
def test_a_short_answer_is_told_with_its_cure(served, stand_in, spoil, line):
    trainer = served()
    trainer.vllm_generation._probe.compare = lambda: None
    stand_in.spoil = lambda choice: choice.update(spoil)
    with pytest.raises(EnvironmentFault, match=line):
        trainer.train()


def test_a_prompt_that_does_not_fit_is_told_before_it_is_sent(served, stand_in):
    stand_in.config["model_config"]["max_model_len"] = 8
    with pytest.raises(EnvironmentFault, match="has a context of 8 tokens, and a prompt with its completion takes"):
        served().train()
    assert "/v1/completions" not in stand_in.asked


def test_completions_of_other_weights_are_counted(served, stand_in):
    trainer = served()
    after = stand_in.answer

    def another_push(path, body):
        told = after(path, body)
        if path == "/finish_weight_update":
            stand_in.version = "another"
        return told

    stand_in.answer = another_push
    trainer.train()
    assert trainer.state.log_history[0]["sampling/stale_completions"] == 8


def test_a_slow_server_has_a_word(served, stand_in, monkeypatch):
    monkeypatch.setattr("gpocli.trainers.engines.vllm_server.SLOW_AFTER", 0.0)
    monkeypatch.setattr("gpocli.trainers.engines.vllm_server._LOOK", 0.001)
    trainer = served(vllm_reconnect=60)
    trainer.train()
    assert any("is slow: no token for" in note and "completions to go" in note for note in trainer.notes)


REAL = {
    "model": str(EMBEDDED),
    "whole_every": 0,
    "num_generations": 16,
    "num_remains_in_group": 4,
    "per_device_train_batch_size": 32,
    "max_completion_length": 256,
    "learning_rate": 3e-3,
    "optim": "sgd",
    "vllm_server_timeout": 300,
    "vllm_reconnect": 300,
}


@pytest.fixture
def sums():
    numbers = random.Random(0)
    asked = [f"{numbers.randint(100, 999)}+{numbers.randint(100, 999)}=" for _ in range(16)]
    return Dataset.from_dict({"prompt": asked})


@pytest.fixture
def real(served, real_server, sums):
    return lambda **options: served(
        **(REAL | {"data": sums, "vllm_server_base_url": real_server.url, "rewards": length_of} | options)
    )


def length_of(completions, **columns):
    return [float(len(completion) % 5) for completion in completions]


@pytest.mark.vllm
def test_a_race_on_vllm_keeps_what_full_generation_keeps_for_fewer_tokens(real):
    class Looks(Shortest):
        score_bound = None

    full, kept = drawn(real(group_filter_func=Looks()))
    trainer = real(group_filter_func=Shortest())
    raced, kept_of_race = drawn(trainer)
    assert kept_of_race == kept
    # 0.47 on a machine that does nothing else; a server that runs ahead of a busy client draws some more.
    assert sum(len(tokens) for _, _, tokens in raced) <= 0.8 * sum(len(tokens) for _, _, tokens in full)
    step = trainer.state.log_history[0]
    assert step["sampling/stale_completions"] == 0
    assert step["sampling/sync_difference"] < 2e-5


@pytest.mark.vllm
def test_vllm_is_killed_in_mid_run_and_the_step_goes_on(real, real_server):
    _, kept = drawn(real(group_filter_func=Shortest()))
    trainer = real(group_filter_func=Shortest())
    body, asked = Draw._body, []

    def killed_at_the_twentieth(self, row):
        asked.append(row)
        if len(asked) == 20:
            real_server.kill()
            real_server.start(wait=False)
        return body(self, row)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Draw, "_body", killed_at_the_twentieth)
        assert drawn(trainer)[1] == kept
    assert trainer.notes[-1] == f"the vLLM server at {real_server.url} is back: it is given the weights again"


def kept_by(processes, stand_in, model, out):
    """What a run of several processes keeps of its groups, and what it said."""
    out.mkdir()
    run = {
        "num_generations": 4,
        "num_remains_in_group": 2,
        "filter": "race",
        "whole_every": 0,
        "use_vllm": True,
        "vllm_mode": "server",
        "vllm_server_base_url": stand_in.url,
        "vllm_sync": "plugin",
    }
    launcher = ["-m", "torch.distributed.run", f"--nproc_per_node={processes}", "--standalone"]
    script = Path(__file__).parents[1] / "run_layout.py"
    command = [sys.executable, *launcher, str(script), model, str(out), json.dumps({"run": run})]
    done = subprocess.run(command, capture_output=True, text=True, env=gpo_environment())
    assert done.returncode == 0, done.stderr[-3000:]
    records = json.loads((out / "run" / "records.json").read_text())
    kept = [(one["group"], one["completion"], one["reward"]) for one in records if one["outcome"] == "kept"]
    return kept, done.stderr


@pytest.mark.slow
def test_two_processes_that_lose_their_server_keep_what_one_keeps(stand_in, tiny_model, tmp_path):
    alone, _ = kept_by(1, stand_in, tiny_model, tmp_path / "one")
    stand_in.restart()
    stand_in.lose_after = stand_in.drawn + 30

    def come_back():
        while not stand_in.is_lost:
            time.sleep(0.01)
        stand_in.restart()

    threading.Thread(target=come_back, daemon=True).start()
    together, said = kept_by(2, stand_in, tiny_model, tmp_path / "two")
    assert together == alone
    assert "is back: it is given the weights again" in said
