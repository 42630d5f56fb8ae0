"""What `check` and `train` learn of a vLLM server before torch is loaded."""

import pytest

from gpocli.checks.findings import Findings
from gpocli.checks.server import check_server
from tests.serving.stand_in import running


@pytest.fixture
def stand_in():
    with running() as server:
        server.models = [{"id": "embedded", "root": "/model"}]
        yield server


@pytest.fixture
def asked(draft):
    """The faults and notes about a server at a url; further settings of `sampling.vllm` and of the spec follow."""

    def ask(url, more="", rest=""):
        findings = Findings(draft(f"sampling: {{engine: vllm, max_tokens: 64, vllm: {{url: '{url}'{more}}}}}\n{rest}"))
        check_server(findings)
        return [str(fault) for fault in findings.faults], findings.notes

    return ask


def test_the_right_server_is_told_of(asked, stand_in):
    note = (
        f"vLLM 0.31.0 at {stand_in.url} serves 'embedded' in float32, with a context of 1,024 tokens and weights of "
        "version 'default'"
    )
    assert asked(stand_in.url) == ([], [note])


def test_one_that_is_not_there_yet_is_noted(asked):
    note = "no vLLM server answers at http://127.0.0.1:9 yet; start it with 'gpo serve': a run waits 240 s"
    assert asked("http://127.0.0.1:9") == ([], [note])


def test_all_that_is_wrong_with_it_is_found_at_once(asked, stand_in):
    stand_in.models = [{"id": "other", "root": "/other"}]
    stand_in.config["model_config"] |= {"max_model_len": 64, "logprobs_mode": "raw_logprobs"}
    stand_in.config["weight_transfer_config"] = None
    faults, notes = asked(stand_in.url)
    at = f"sampling.vllm.url: the vLLM server at {stand_in.url} "
    assert [fault.split(": ", 1)[1].startswith(at) for fault in faults] == [True] * 4
    parts = "serves 'other'", "context of 64 tokens", "tells raw_logprobs", "has no weight transfer"
    assert [part in fault for part, fault in zip(parts, faults, strict=True)] == [True] * 4
    assert notes == []


def test_the_exit_code_is_that_of_the_environment(draft, stand_in):
    stand_in.config["weight_transfer_config"] = None
    findings = Findings(draft(f"sampling: {{engine: vllm, max_tokens: 64, vllm: {{url: '{stand_in.url}'}}}}"))
    check_server(findings)
    assert [fault.kind for fault in findings.faults] == ["environment"]


def test_development_endpoints_that_are_off(asked, stand_in):
    stand_in.answers["/server_info"] = 404, {"detail": "Not Found"}
    ((fault,), _) = asked(stand_in.url)
    assert "VLLM_SERVER_DEV_MODE=1" in fault


def test_prompts_count_where_their_length_is_known(asked, stand_in):
    ((fault,), _) = asked(stand_in.url, rest="data: {max_prompt_tokens: 1000}")
    assert "prompt and completion take 1,064" in fault


def test_a_server_that_the_run_starts_is_not_asked_for(asked):
    assert asked("http://127.0.0.1:9", ", start: true") == ([], [])


def test_without_a_server_nothing_is_asked(draft):
    findings = Findings(draft("{}"))
    check_server(findings)
    assert (findings.faults, findings.notes) == ([], [])


LORA = "model: {lora: {rank: 9}}"


def test_a_server_for_an_adapter_alone_must_take_it_on_the_models_own_weights(asked, stand_in):
    stand_in.config |= {"weight_transfer_config": None, "lora_config": {"max_lora_rank": 16}}
    assert asked(stand_in.url, ", sync: lora", LORA)[0] == []
    stand_in.config["lora_config"], stand_in.version = None, "another-3"
    faults, _ = asked(stand_in.url, ", sync: lora", LORA)
    parts = "start it with --enable-lora --max-lora-rank 16", "weights that a run has given it (version 'another-3')"
    assert [part in fault for part, fault in zip(parts, faults, strict=True)] == [True] * 2
