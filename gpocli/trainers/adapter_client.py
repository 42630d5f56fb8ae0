"""A client of a vLLM server that is given the adapter alone."""

import shutil
from pathlib import Path
from typing import Any

from gpocli.errors import ServerFault
from gpocli.serving.facts import UNTOUCHED
from gpocli.trainers.adapter import Adapter
from gpocli.trainers.server_client import FolderClient

_NOT_OPEN, _NOT_SEEN = "says: Not Found", "No adapter found"


class AdapterClient(FolderClient):
    """Adds the adapter to the server's model under a new name at each push, and takes the last one away (`lora`).

    Requests name the adapter that they are for, so that none draws with older weights, and vLLM's prefix cache keeps
    the keys of each name apart: nothing waits, and nothing is emptied. The weights of the base model are never sent.
    """

    _adapter: str | None = None

    def init_communicator(self, device: Any = 0) -> None:
        self.close_communicator()
        self._make_folder()
        self._adapter, self.version = None, UNTOUCHED

    def load(self, adapter: Adapter) -> None:
        """Give the server `adapter`; what it refuses leaves the last one in place."""
        self._pushes += 1
        name = f"gpo-{self._run}-{self._pushes}"
        folder = Path(self._folder) / name
        self._write(lambda: adapter.write(folder))
        try:
            self.control.tell("/v1/load_lora_adapter", {"lora_name": name, "lora_path": str(folder)})
        except ServerFault as fault:
            shutil.rmtree(folder, ignore_errors=True)
            raise self._cure_of(fault) from fault
        last, self._adapter, self.model = self._adapter, name, name
        if last is not None:
            self.control.tell("/v1/unload_lora_adapter", {"lora_name": last})
            shutil.rmtree(Path(self._folder) / last, ignore_errors=True)

    def is_in_step(self) -> bool:
        names = {model["id"] for model in self.control.get("/v1/models")["data"]}
        return self._adapter in names and super().is_in_step()

    def _cure_of(self, fault: ServerFault) -> ServerFault:
        if _NOT_OPEN in str(fault):
            return ServerFault(
                f"the vLLM server at {self.base_url} takes no adapter while it runs; start it with "
                "VLLM_ALLOW_RUNTIME_LORA_UPDATING=1 in its environment, as 'gpo serve' does"
            )
        if _NOT_SEEN in str(fault):
            return self._unseen()
        return fault
