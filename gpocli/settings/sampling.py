"""The `sampling` section: how completions are drawn from the policy."""

from typing import Annotated, Literal

from pydantic import Field

from gpocli.settings.section import Section, rule
from gpocli.settings.setting import Flag, Setting

VLLM_RANKS = (1, 8, 16, 32, 64, 128, 256, 320, 512)
"""What vLLM takes for the highest rank of an adapter."""


class VllmSpec(Section):
    """A vLLM server that samples for the run; `gpo serve` starts one."""

    url: Annotated[
        str | None,
        Field(pattern="^https?://[^/]+"),
        Setting("vllm_server_base_url", owns=("vllm_server_host", "vllm_server_port"), aliases=("base_url",)),
    ] = "http://127.0.0.1:8000"
    """Address of the server; null: none, vLLM is in the training process."""
    start: bool = False
    """Start the server with the run on this machine, and end it with the run."""
    sync: Annotated[Literal["nccl", "plugin", "lora"], Setting("vllm_sync")] = "plugin"
    """How weights reach it: `nccl` GPU to GPU, `plugin` by files in `folder`, `lora` so, but of the adapter alone."""
    folder: Annotated[str | None, Field(min_length=1), Setting("vllm_folder")] = None
    """Folder of weights, which the server sees under the same path; null: one for temporary files."""
    model: Annotated[str | None, Field(min_length=1), Setting("vllm_served_model")] = None
    """The server's name for the model; null: that of `model.name`."""
    wait: Annotated[float, Field(ge=0), Setting("vllm_server_timeout")] = 240.0
    """Seconds to wait for the server at the start of a run."""
    reconnect: Annotated[float, Field(ge=0), Setting("vllm_reconnect")] = 300.0
    """Seconds to wait for a server that is lost during a run, or tells no token."""
    concurrency: Annotated[int, Field(ge=1), Setting("vllm_concurrency")] = 256
    """Completions that a process of the run asks for at a time."""

    @rule("url", "start", "sync")
    def what_is_in_the_process_is_no_server(self) -> str | None:
        if self.url is not None:
            return None
        if self.start:
            return (
                "url: null is vLLM in the training process, and start: true starts a server; write its url, or start: "
                "false"
            )
        if self.sync != "lora":
            return f"url: null goes with sync: lora, not with {self.sync}; write sampling.vllm: null, or sync: lora"
        return None


class SamplingSpec(Section):
    """Sampling settings of training; they win over the model's own generation config."""

    temperature: Annotated[
        float,
        Field(gt=0, le=100),
        Setting("temperature", owns=("generation_kwargs.temperature",), flag=Flag("--temperature", "Of sampling")),
    ] = 1.0
    """Divisor of the logits; above 0, at most 100."""
    top_p: Annotated[float, Field(gt=0, le=1), Setting("top_p", owns=("generation_kwargs.top_p",))] = 1.0
    """Probability mass of the likeliest tokens to draw from; above 0, at most 1 (all)."""
    top_k: Annotated[int, Field(ge=0), Setting("top_k", owns=("generation_kwargs.top_k",))] = 0
    """Number of likeliest tokens to draw from; 0: all."""
    min_p: Annotated[float | None, Field(ge=0, le=1), Setting("min_p", owns=("generation_kwargs.min_p",))] = None
    """Least probability of a token, as a share of the likeliest one's; 0 to 1; null: no limit."""
    repetition_penalty: Annotated[
        float, Field(gt=0, le=100), Setting("repetition_penalty", owns=("generation_kwargs.repetition_penalty",))
    ] = 1.0
    """Factor against tokens that are there already; above 0, at most 100; 1: none."""
    max_tokens: Annotated[
        int,
        Field(ge=1, le=1_000_000),
        Setting(
            "max_completion_length",
            owns=("generation_kwargs.max_new_tokens",),
            aliases=("max_length", "max_new_tokens"),
            flag=Flag("--max-tokens", "Longest completion"),
        ),
    ] = 1024
    """Longest completion in tokens, the end token included; 1 to 1000000."""
    engine: Annotated[
        Literal["auto", "race", "generate", "continuous", "vllm"],
        Setting(
            derived={
                "use_vllm": lambda engine: engine == "vllm",
                "use_transformers_continuous_batching": lambda engine: engine == "continuous",
                "rollout": lambda engine: engine if engine in ("race", "generate") else "auto",
            },
            owns=("use_transformers_paged",),
        ),
    ] = "auto"
    """What samples: `race` and `generate` use transformers, `continuous` its continuous batching."""
    gather: Annotated[bool, Setting("ds3_gather_for_generation")] = True
    """Under ZeRO-3 and FSDP2: each process gathers whole weights once a generation, so that gpo's loop can sample."""
    vllm: Annotated[
        VllmSpec | None,
        Setting(
            derived={"vllm_mode": lambda vllm: "colocate" if vllm is None or vllm.url is None else "server"},
            aliases=("vllm_server",),
        ),
    ] = None
    """A vLLM server for `engine: vllm`; null: vLLM in the training process."""

    @rule("vllm", "engine")
    def a_server_needs_its_engine(self) -> str | None:
        if self.vllm is not None and self.engine != "vllm":
            return f"a vLLM server does not sample with engine: {self.engine}; write engine: vllm as well"
        return None
