"""TRL's client of a vLLM server, with weights that arrive on any device and faults of one line."""

import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlparse
from uuid import uuid4

import torch
from safetensors.torch import save_file
from trl.generation.vllm_client import VLLMClient

from gpocli.errors import ServerFault
from gpocli.serving.client import Control
from gpocli.serving.facts import Wanted, facts_of, why_unfit

_BYTES_OF_A_FILE = 4 * 2**30
"""Weights are gathered to this size on the CPU before they are written."""


class ServerClient(VLLMClient):  # type: ignore[misc]
    """Pushes weights by vLLM's NCCL transfer, as TRL does, and sees to what TRL leaves to luck.

    - Nothing is sent twice, and no connection is kept: TRL sends again what failed, `/update_weights` included.
    - Requests of others end before weights change, and wait until they have: a generation in between ends the server.
    - A version is stamped on each push, and a prefix cache that was not emptied is an error.

    Raises `ServerFault` where the server cannot do it, `ServerLost` where it is gone.
    """

    def __init__(self, control: Control, wanted: Wanted, *, group_port: int) -> None:
        # Not TRL's, which opens a session that repeats what it sends, and needs vLLM in the trainer's environment.
        self.control, self.wanted = control, wanted
        self.base_url = control.url
        self.host = urlparse(control.url).hostname
        self.model: str | None = wanted.model
        self.group_port = group_port
        self.communicator = None
        self._updating_weights = False
        self._run, self._pushes = uuid4().hex[:8], 0
        self.version = ""
        """Of the weights that the server was given last."""
        self.dtype, self.context = "float32", 0
        """Of the server's weights, and in tokens."""

    def check(self) -> None:
        """Raise `ServerFault` when what answers cannot serve the run."""
        facts = facts_of(self.control)
        for reason in why_unfit(self.control.url, facts, self.wanted):
            raise ServerFault(reason)
        self.model = facts.name_of(self.wanted)
        self.dtype, self.context = facts.dtype, facts.context
        if self.control.get("/is_paused")["is_paused"]:  # by a run that was killed in a push
            self.control.post("/resume")

    def is_in_step(self) -> bool:
        """Whether the server still has the weights that it was given last; one that was restarted has not."""
        return bool(self.control.get("/weight_info")["weight_version"] == self.version)

    # What TRL's own methods go through

    def _get(self, url: str, **options: Any) -> Any:
        return self.control.get(url.removeprefix(self.base_url), **options.get("params", {}))

    def _post(self, url: str, **options: Any) -> Any:
        return self.control.post(url.removeprefix(self.base_url), options.get("json"), **options.get("params", {}))

    def get_server_info(self) -> Any:
        return self.control.get("/server_info", config_format="json")["vllm_config"]

    def reset_prefix_cache(self) -> None:
        told = self.control.post("/reset_prefix_cache")
        if told is not None and not told.get("success", True):
            raise ServerFault(
                f"the vLLM server at {self.base_url} did not empty its prefix cache, which holds keys of the old "
                "weights: others use it at the same time; give the run a server of its own"
            )

    # A push

    def init_communicator(self, device: Any = 0) -> None:
        if find_spec("vllm") is None:
            raise ServerFault(
                "sampling.vllm.sync: nccl needs vllm where the trainer runs; pip install 'gpocli[vllm]', or write "
                "sampling.vllm.sync: plugin"
            )
        if torch.device(device).type == "cpu":
            raise ServerFault("sampling.vllm.sync: nccl needs a GPU; write sampling.vllm.sync: plugin")
        self.close_communicator()
        super().init_communicator(device)

    def update_named_params(self, metadata: list[Any], named_params: Iterable[tuple[str, torch.Tensor]]) -> None:
        named_params = iter(named_params)
        self._pushes += 1
        version = f"{self._run}-{self._pushes}"
        try:
            with self._paused():
                self._push(version, metadata, named_params)
        finally:
            # All processes take part in gathering what is left, and TRL takes the adapter out again at the end.
            for _ in named_params:
                pass
        self.version = version

    @contextmanager
    def _paused(self) -> Iterator[None]:
        self.control.post("/pause", mode="wait")
        try:
            yield
        except BaseException:
            with suppress(ServerFault):
                self.control.post("/resume")
            raise
        self.control.post("/resume")

    def _push(self, version: str, metadata: list[Any], named_params: Iterator[tuple[str, torch.Tensor]]) -> None:
        self._to_stamp = version
        super().update_named_params(metadata, named_params)

    def _finish_weight_update(self) -> None:
        self.control.post("/finish_weight_update", {"weight_version": self._to_stamp})


class FolderClient(ServerClient):
    """Pushes weights through files in a folder that the server's processes see under the same path (`plugin`).

    Works on a CPU, over hosts with a shared file system, and without vLLM in the trainer's environment.
    """

    def __init__(self, control: Control, wanted: Wanted, *, group_port: int, folder: str | None) -> None:
        super().__init__(control, wanted, group_port=group_port)
        self._parent = folder
        self._remove: weakref.finalize[Any, FolderClient] | None = None

    def init_communicator(self, device: Any = 0) -> None:
        self.close_communicator()
        self._make_folder()
        try:
            self.control.post("/init_weight_transfer_engine", {"init_info": {"folder": self._folder}})
        except ServerFault as fault:
            self.close_communicator()
            if "No such file" not in str(fault):
                raise
            raise self._unseen() from fault

    def _make_folder(self) -> None:
        if self._parent is not None:
            Path(self._parent).mkdir(parents=True, exist_ok=True)
        self._folder = tempfile.mkdtemp(prefix="gpo-weights-", dir=self._parent)
        self._remove = weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)  # at the latest at exit

    def _unseen(self) -> ServerFault:
        return ServerFault(
            f"the vLLM server at {self.base_url} does not see '{self._folder}'; name a folder that both see in "
            "sampling.vllm.folder"
        )

    def _push(self, version: str, metadata: list[Any], named_params: Iterator[tuple[str, torch.Tensor]]) -> None:
        # Written in full before the server is told of it: what fails here leaves its weights alone.
        files = [self._written(f"{version}-{part}", some) for part, some in enumerate(_in_parts(named_params), 1)]
        try:
            self._start_weight_update()
            self.control.post("/update_weights", {"update_info": {"files": [file.name for file in files]}})
            self.control.post("/finish_weight_update", {"weight_version": version})
        finally:
            for file in files:
                file.unlink(missing_ok=True)

    def _start_weight_update(self) -> None:
        try:
            self.control.post("/start_weight_update")
        except ServerFault as fault:
            if "already active" not in str(fault):
                raise
            # Left by a run that was killed in a push; an update that is refused ends it.
            with suppress(ServerFault):
                self.control.post("/update_weights", {"update_info": {"files": []}})
            self.control.post("/start_weight_update")

    def _written(self, name: str, tensors: dict[str, torch.Tensor]) -> Path:
        file = Path(self._folder) / f"{name}.safetensors"
        self._write(lambda: save_file(tensors, file))
        return file

    def _write(self, write: Callable[[], None]) -> None:
        try:
            write()
        except OSError as error:
            raise ServerFault(
                f"cannot write weights for vLLM to '{self._folder}': {error.strerror or error}; make room there, or "
                "name another folder in sampling.vllm.folder"
            ) from error

    def close_communicator(self) -> None:
        super().close_communicator()
        if self._remove is not None:
            self._remove()


def _in_parts(named_params: Iterable[tuple[str, torch.Tensor]]) -> Iterator[dict[str, torch.Tensor]]:
    """Copies on the CPU, as many at a time as a file takes."""
    part: dict[str, torch.Tensor] = {}
    size = 0
    for name, tensor in named_params:
        # A copy, as an adapter is merged into the weights only while they are read.
        part[name] = tensor.detach().to("cpu", copy=True).contiguous()
        size += part[name].nbytes
        if size >= _BYTES_OF_A_FILE:
            yield part
            part, size = {}, 0
    if part:
        yield part
