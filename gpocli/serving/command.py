"""How a vLLM server for a run is started: the command and its environment."""

import json
import shlex
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlparse

from gpocli.embedded import EMBEDDED, is_adapter, model_folder, why_no_model
from gpocli.errors import EnvironmentFault, SpecError
from gpocli.serving.adapters import ADAPTERS_AT_A_TIME, rank_of_engine
from gpocli.serving.facts import BACKENDS, LOGPROBS_MODE
from gpocli.serving.vllm_plugin import STAMP
from gpocli.settings.sampling import VllmSpec
from gpocli.spec import RunSpec

_GPU_TOOLS = ("nvidia-smi", "rocm-smi", "xpu-smi")
_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class ServeCommand:
    """What to run, and the variables that it needs; those that the user has set stay."""

    arguments: Sequence[str]
    environment: Mapping[str, str]
    url: str

    def __str__(self) -> str:
        """A line for a shell."""
        variables = [f"{name}={shlex.quote(value)}" for name, value in self.environment.items()]
        return " ".join([*variables, shlex.join(self.arguments)])


def serve_command(spec: RunSpec, more: Sequence[str] = (), *, on_gpu: bool) -> ServeCommand:
    """The server that `spec` needs, with `more` options of `vllm serve`. Raises `SpecError` for a spec without one."""
    server = spec.sampling.vllm
    if server is None or server.url is None:
        raise SpecError("sampling.vllm: the spec names no server; write sampling: {engine: vllm, vllm: {}}")
    return ServeCommand(
        ["vllm", "serve", *_model(spec, server), *_place(server.url), *_numbers(spec, on_gpu), *_weights(spec), *more],
        _environment(spec, on_gpu),
        server.url,
    )


def has_gpu() -> bool:
    """Whether this machine has a GPU, by the tools that come with the drivers."""
    return any(shutil.which(tool) for tool in _GPU_TOOLS)


def require_vllm() -> str:
    """The path of the `vllm` command. Raises `EnvironmentFault` where it is not installed."""
    path = shutil.which("vllm")
    if path is None:
        raise EnvironmentFault("the command vllm is not installed here; pip install 'gpocli[vllm]'")
    return path


def _model(spec: RunSpec, server: VllmSpec) -> list[str]:
    name = spec.model.name
    folder = model_folder(name)
    if fault := why_no_model(name):
        raise SpecError(f"model.name: {fault}")
    if is_adapter(folder):
        raise SpecError(
            f"model.name: '{name}' is a LoRA adapter, and a server for a run takes a whole model; merge it into its "
            "base with gpo export RUN --merge, and name what that writes"
        )
    found = str(folder.resolve()) if name == EMBEDDED or folder.is_dir() else name
    options = [found, "--served-model-name", server.model or name]
    if spec.model.revision is not None:
        options += ["--revision", spec.model.revision]
    return [*options, "--trust-remote-code"] if spec.model.trust_remote_code else options


def _place(url: str) -> list[str]:
    address = urlparse(url)
    return ["--host", str(address.hostname), "--port", str(address.port or _PORTS[address.scheme])]


def _numbers(spec: RunSpec, on_gpu: bool) -> list[str]:
    """What makes the server's log-probabilities those of the trainer, and its requests those of the run alone."""
    dtype = spec.model.dtype
    if dtype == "auto":
        dtype = "bfloat16" if on_gpu else "float32"  # what the trainer computes in
    options = ["--dtype", dtype, "--logprobs-mode", LOGPROBS_MODE, "--generation-config", "vllm"]
    if spec.data.max_prompt_tokens is not None:
        options += ["--max-model-len", str(spec.data.max_prompt_tokens + spec.sampling.max_tokens)]
    return options if on_gpu else [*options, "--enforce-eager"]


def _weights(spec: RunSpec) -> list[str]:
    assert spec.sampling.vllm is not None
    options = ["--middleware", STAMP, "--disable-uvicorn-access-log"]
    if spec.sampling.vllm.sync == "lora":
        assert spec.model.lora is not None
        rank = str(rank_of_engine(spec.model.lora.rank))
        return [*options, "--enable-lora", "--max-lora-rank", rank, "--max-loras", str(ADAPTERS_AT_A_TIME)]
    backend = {"backend": BACKENDS[spec.sampling.vllm.sync]}
    return [*options, "--weight-transfer-config", json.dumps(backend)]


def _environment(spec: RunSpec, on_gpu: bool) -> dict[str, str]:
    environment = {"VLLM_SERVER_DEV_MODE": "1"}
    if spec.sampling.vllm is not None and spec.sampling.vllm.sync == "lora":
        environment["VLLM_ALLOW_RUNTIME_LORA_UPDATING"] = "1"
    if not spec.run.telemetry:
        environment["VLLM_NO_USAGE_STATS"] = "1"
    if Path(spec.model.name).is_dir() or spec.model.name == EMBEDDED:
        environment["HF_HUB_OFFLINE"] = "1"
    return environment if on_gpu else {**environment, "VLLM_CPU_OMP_THREADS_BIND": "nobind"}
