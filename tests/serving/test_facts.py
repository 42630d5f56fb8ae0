"""Whether a server can serve a run, told before anything is loaded."""

import pytest

from gpocli.errors import EnvironmentFault
from gpocli.serving.client import Control
from gpocli.serving.facts import ServerFacts, Wanted, facts_of, places_of, why_unfit

FIT = {
    "version": "0.31.0",
    "models": (("qwen", "Qwen/Qwen3-0.6B"),),
    "context": 2048,
    "dtype": "float32",
    "logprobs_mode": "processed_logprobs",
    "backend": "gpo",
    "weight_version": "default",
}
WANTED = {"model": "Qwen/Qwen3-0.6B", "model_places": (), "sync": "plugin", "tokens": 2048}


def reasons(wanted=None, **facts):
    return list(why_unfit("http://h:1", ServerFacts(**(FIT | facts)), Wanted(**(WANTED | (wanted or {})))))


def test_the_right_server_has_no_fault():
    assert reasons() == []


@pytest.mark.parametrize(
    ("facts", "wanted", "line"),
    [
        ({"models": (("other", "x/y"),)}, {}, "serves 'other', and the run trains 'Qwen/Qwen3-0.6B'; start the right"),
        ({"context": 2047}, {}, "has a context of 2,047 tokens, and prompt and completion take 2,048; start it with"),
        ({"logprobs_mode": "raw_logprobs"}, {}, "start it with --logprobs-mode processed_logprobs"),
        ({"backend": None}, {}, 'has no weight transfer, and sampling.vllm.sync is plugin; start it with --weight-tra'),
        ({}, {"sync": "nccl"}, "has the weight transfer 'gpo', and sampling.vllm.sync is nccl; start it with"),
    ],
)  # fmt: skip
def test_each_fault_is_one_line_with_its_cure(facts, wanted, line):
    (reason,) = reasons(wanted, **facts)
    assert reason.startswith("the vLLM server at http://h:1 ")
    assert line in reason


def test_a_model_is_known_by_its_name_or_its_folder():
    facts = ServerFacts(**(FIT | {"models": (("embedded", "/lib/model"),)}))
    assert facts.name_of(Wanted(**(WANTED | {"model": "/lib/model"}))) == "embedded"
    assert facts.name_of(Wanted(**(WANTED | {"model": "m", "model_places": ("embedded",)}))) == "embedded"
    assert facts.name_of(Wanted(**(WANTED | {"model": "m"}))) is None


def test_what_a_server_tells(stand_in):
    stand_in.models = [{"id": "tiny", "root": "/m"}]
    assert facts_of(Control(stand_in.url)) == ServerFacts(
        "0.31.0", (("tiny", "/m"),), 1024, "float32", "processed_logprobs", "gpo", "default"
    )


def test_an_older_protocol_is_named(stand_in):
    del stand_in.config["model_config"]["logprobs_mode"]
    with pytest.raises(EnvironmentFault, match=r"does not tell what vLLM 0.31 tells \('logprobs_mode'\); start one"):
        facts_of(Control(stand_in.url))


def test_a_folder_may_be_served_by_its_resolved_path(tmp_path, monkeypatch):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    monkeypatch.chdir(tmp_path)
    assert places_of("./link") == ("./link", "link", str((tmp_path / "real").resolve()))
    assert "embedded" in places_of("embedded")
    assert "embedded" in places_of(places_of("embedded")[1])
