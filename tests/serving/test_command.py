"""The command of a server has what its run needs."""

import pytest

from gpocli.errors import EnvironmentFault, SpecError
from gpocli.serving.command import require_vllm, serve_command
from gpocli.spec import RunSpec


def command(on_gpu=False, more=(), server=None, **spec):
    sampling = {"engine": "vllm", "max_tokens": 100, "vllm": server or {}}
    return serve_command(RunSpec.model_validate({"sampling": sampling, **spec}), more, on_gpu=on_gpu)


def after(made, option):
    arguments = list(made.arguments)
    return arguments[arguments.index(option) + 1]


def saved(folder, *names):
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()


def test_the_model_has_the_name_that_the_run_asks_for(tmp_path):
    made = command()
    assert made.arguments[:2] == ["vllm", "serve"]
    assert made.arguments[2].endswith("gpocli/embedded/model")
    assert after(made, "--served-model-name") == "embedded"
    named = command(model={"name": "Qwen/Qwen3-0.6B", "revision": "v1"}, server={"model": "policy"})
    assert (named.arguments[2], after(named, "--revision")) == ("Qwen/Qwen3-0.6B", "v1")
    assert after(named, "--served-model-name") == "policy"


def test_a_run_means_its_final_model_under_the_name_that_was_written(tmp_path):
    saved(tmp_path / "x" / "model", "config.json", "training_args.bin")
    made = command(model={"name": str(tmp_path / "x")})
    assert (made.arguments[2], after(made, "--served-model-name")) == (f"{tmp_path}/x/model", f"{tmp_path}/x")


@pytest.mark.parametrize(
    ("names", "told"),
    [
        (("model/adapter_config.json", "model/training_args.bin"), "is a LoRA adapter.* gpo export RUN --merge"),
        (("spec.yaml", "checkpoints/checkpoint-5/manifest.json"), "is a run that has no final model"),
    ],
)
def test_what_no_server_can_load_is_told_before_one_is_started(tmp_path, names, told):
    saved(tmp_path / "x", *names)
    with pytest.raises(SpecError, match=f"model.name: '{tmp_path}/x' {told}"):
        command(model={"name": f"{tmp_path}/x"})


@pytest.mark.parametrize(
    ("url", "host", "port"),
    [("http://127.0.0.1:8123", "127.0.0.1", "8123"), ("http://gpu7", "gpu7", "80"), ("https://gpu7/v", "gpu7", "443")],
)
def test_it_listens_where_the_run_looks(url, host, port):
    made = command(server={"url": url})
    assert (after(made, "--host"), after(made, "--port")) == (host, port)


def test_it_computes_in_what_the_trainer_computes_in():
    assert after(command(), "--dtype") == "float32"
    assert after(command(on_gpu=True), "--dtype") == "bfloat16"
    assert after(command(on_gpu=True, model={"dtype": "float16"}), "--dtype") == "float16"


def test_the_context_is_that_of_prompt_and_completion_where_both_are_known():
    assert "--max-model-len" not in command().arguments
    assert after(command(data={"max_prompt_tokens": 28}), "--max-model-len") == "128"


@pytest.mark.parametrize(("sync", "backend"), [("plugin", '{"backend": "gpo"}'), ("nccl", '{"backend": "nccl"}')])
def test_weights_arrive_by_what_the_run_pushes_with(sync, backend):
    made = command(server={"sync": sync})
    assert after(made, "--weight-transfer-config") == backend
    assert made.environment["VLLM_SERVER_DEV_MODE"] == "1"


def test_options_more_come_last_and_the_line_is_one_for_a_shell():
    made = command(on_gpu=True, more=["--tensor-parallel-size=2"])
    assert made.arguments[-1] == "--tensor-parallel-size=2"
    assert str(made).startswith("VLLM_SERVER_DEV_MODE=1 VLLM_NO_USAGE_STATS=1 HF_HUB_OFFLINE=1 vllm serve /")
    assert """--weight-transfer-config '{"backend": "gpo"}'""" in str(made)


def test_a_spec_without_a_server():
    with pytest.raises(SpecError, match=r"names no server; write sampling: \{engine: vllm, vllm: \{\}\}"):
        serve_command(RunSpec(), on_gpu=False)


def test_where_vllm_is_not_installed(monkeypatch):
    monkeypatch.setenv("PATH", "")
    with pytest.raises(EnvironmentFault, match=r"pip install 'gpocli\[vllm\]'"):
        require_vllm()


def test_an_adapter_alone_needs_a_server_that_takes_some():
    made = command(server={"sync": "lora"}, model={"lora": {"rank": 9}})
    assert "--weight-transfer-config" not in made.arguments
    assert (after(made, "--max-lora-rank"), after(made, "--max-loras")) == ("16", "1")
    assert "--enable-lora" in made.arguments
    assert made.environment["VLLM_ALLOW_RUNTIME_LORA_UPDATING"] == "1"
