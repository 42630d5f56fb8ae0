"""What a running server is, and whether it can serve a run."""

from collections.abc import Iterator
from dataclasses import dataclass

from gpocli.embedded import EMBEDDED, model_folder
from gpocli.errors import ServerFault
from gpocli.serving.adapters import rank_of_engine
from gpocli.serving.client import START, Control
from gpocli.serving.vllm_plugin import BACKEND

LOGPROBS_MODE = "processed_logprobs"
BACKENDS = {"plugin": BACKEND, "nccl": "nccl"}
"""The weight transfer that a server needs, by `sampling.vllm.sync`."""
UNTOUCHED = "default"
"""The version of weights that a server has read from the model's files."""


@dataclass(frozen=True, slots=True)
class ServerFacts:
    """What a server tells of itself."""

    version: str
    models: tuple[tuple[str, str], ...]
    """What it serves: the name for requests, and where the weights came from."""
    context: int
    dtype: str
    logprobs_mode: str
    backend: str | None
    weight_version: str
    adapter_rank: int | None = None
    """The highest rank of an adapter that it takes; None: it takes none."""

    def name_of(self, wanted: "Wanted") -> str | None:
        """The name for requests of the model of a run; None when it is not served."""
        for known in ({wanted.model}, set(wanted.model_places)):
            for name, root in self.models:
                if {name, root} & known:
                    return name
        return None


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a run needs of its server; `model_places` are names and folders that all mean the model of the run."""

    model: str
    model_places: tuple[str, ...]
    sync: str
    tokens: int
    """Of the longest completion, and at least one of a prompt."""
    rank: int = 0
    """Of the adapter that is sent alone."""


def places_of(model: str) -> tuple[str, ...]:
    """Names that a server may have for the model of a spec, or for the folder of one."""
    folder = model_folder(model)
    places = [model, str(folder), str(folder.resolve())]
    return (*places, EMBEDDED) if folder.resolve() == model_folder(EMBEDDED).resolve() else tuple(places)


def facts_of(control: Control) -> ServerFacts:
    """Ask a running server. Raises `ServerLost`, or `ServerFault` when it does not tell."""
    try:
        return _facts_of(control)
    except (KeyError, IndexError, TypeError) as error:
        raise ServerFault(
            f"the server at {control.url} does not tell what vLLM 0.31 tells ({error}); {START}"
        ) from error


def _facts_of(control: Control) -> ServerFacts:
    models = control.get("/v1/models")["data"]
    config = control.get("/server_info", config_format="json")["vllm_config"]
    transfer = config.get("weight_transfer_config")
    return ServerFacts(
        version=control.get("/version")["version"],
        models=tuple((model["id"], model.get("root") or "") for model in models),
        context=config["model_config"]["max_model_len"],
        dtype=str(config["model_config"]["dtype"]).removeprefix("torch."),
        logprobs_mode=config["model_config"]["logprobs_mode"],
        backend=transfer["backend"] if transfer else None,
        weight_version=control.get("/weight_info")["weight_version"],
        adapter_rank=(config.get("lora_config") or {}).get("max_lora_rank"),
    )


def why_unfit(url: str, facts: ServerFacts, wanted: Wanted) -> Iterator[str]:
    """What keeps a server from serving a run, a line each."""
    at = f"the vLLM server at {url}"
    if facts.name_of(wanted) is None:
        yield (
            f"{at} serves '{facts.models[0][0]}', and the run trains '{wanted.model}'; start the right one with "
            "'gpo serve', or write the server's name for it in sampling.vllm.model"
        )
    if facts.context < wanted.tokens:
        yield (
            f"{at} has a context of {facts.context:,} tokens, and prompt and completion take {wanted.tokens:,}; start "
            f"it with --max-model-len {wanted.tokens} or more, or lower sampling.max_tokens"
        )
    if facts.logprobs_mode != LOGPROBS_MODE:
        yield (
            f"{at} tells {facts.logprobs_mode}, which are not those that tokens are drawn with; start it with "
            f"--logprobs-mode {LOGPROBS_MODE}"
        )
    yield from _why_no_weights(at, facts, wanted)


def _why_no_weights(at: str, facts: ServerFacts, wanted: Wanted) -> Iterator[str]:
    if wanted.sync == "lora":
        yield from _why_no_adapter(at, facts, wanted.rank)
        return
    backend = BACKENDS[wanted.sync]
    if facts.backend != backend:
        has = f"has the weight transfer '{facts.backend}'" if facts.backend else "has no weight transfer"
        start = f'--weight-transfer-config \'{{"backend": "{backend}"}}\''
        yield f"{at} {has}, and sampling.vllm.sync is {wanted.sync}; start it with {start}, or change the setting"


def _why_no_adapter(at: str, facts: ServerFacts, rank: int) -> Iterator[str]:
    flags = f"--enable-lora --max-lora-rank {rank_of_engine(rank)}"
    if facts.adapter_rank is None:
        yield f"{at} takes no adapters, and sampling.vllm.sync is lora; start it with {flags}, or change the setting"
    elif facts.adapter_rank < rank:
        yield f"{at} takes adapters of rank {facts.adapter_rank}, and the run's has {rank}; start it with {flags}"
    if facts.weight_version != UNTOUCHED:
        yield (
            f"{at} has weights that a run has given it (version '{facts.weight_version}'), and an adapter needs those "
            "of the model's files; start it anew"
        )
