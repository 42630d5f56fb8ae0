"""vLLM's side of `sampling.vllm.sync: plugin`. Imported by the processes of a server, and by nothing else.

POST /init_weight_transfer_engine {"init_info": {"folder": "/shared/weights"}}
POST /start_weight_update
POST /update_weights {"update_info": {"files": ["1-of-1.safetensors"]}}
POST /finish_weight_update {"weight_version": "7"}
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from vllm.distributed.weight_transfer.base import WeightTransferEngine, WeightTransferInitInfo, WeightTransferUpdateInfo

from gpocli.serving.weight_files import Shapes, files_inside, shapes_in, why_unfit


@dataclass
class FolderInit(WeightTransferInitInfo):  # type: ignore[misc]
    """Where the trainer writes weights."""

    folder: str


@dataclass
class FolderUpdate(WeightTransferUpdateInfo):  # type: ignore[misc]
    """Files in the folder that hold all weights of the model between them."""

    files: list[str] = field(default_factory=list)


class FolderEngine(WeightTransferEngine):  # type: ignore[misc]
    """Takes new weights from safetensors files in a folder that trainer and server share.

    One update holds all weights, and is refused as a whole before anything is loaded: between the start and the end of
    vLLM's layer-wise reload the model has no weights, and a generation then ends the server.
    """

    init_info_cls, update_info_cls = FolderInit, FolderUpdate
    _folder: Path | None = None
    _expected: Shapes | None = None
    _has_arrived = False

    def init_transfer_engine(self, init_info: FolderInit) -> None:
        """Remember the folder. Raises `OSError` when it cannot be seen from here."""
        self._folder = Path(init_info.folder).resolve(strict=True)
        self._expected = shapes_in(_checkpoint_of(self.model_config)) or None

    def start_weight_update(self) -> None:
        if self._folder is None:
            raise RuntimeError("no folder of weights is known: POST /init_weight_transfer_engine first")
        self._has_arrived = False

    def receive_weights(self, update_info: FolderUpdate) -> None:
        """Check the files, then load them. Raises `ValueError` for what does not fit, with the old weights in place."""
        from vllm.model_executor.model_loader.reload import finalize_layerwise_reload, initialize_layerwise_reload

        assert self._folder is not None
        paths = files_inside(self._folder, update_info.files)
        if reason := why_unfit(shapes_in(paths), self._expected):
            raise ValueError(f"these are no weights for the model: {reason}")
        initialize_layerwise_reload(self.model)
        try:
            self.model.load_weights(_tensors_of(paths, str(self.device)))
        finally:
            finalize_layerwise_reload(self.model, self.model_config)
        self._has_arrived = True

    def finish_weight_update(self) -> None:
        # vLLM would stamp the version all the same.
        if not self._has_arrived:
            raise RuntimeError("no weights arrived since the update was started")

    def shutdown(self) -> None:
        """Nothing is held open."""


def _tensors_of(paths: Sequence[Path], device: str) -> Iterator[tuple[str, Any]]:
    from safetensors import safe_open

    for path in paths:
        with safe_open(str(path), "pt", device=device) as file:
            for name in file.keys():  # noqa: SIM118 (no mapping)
                yield name, file.get_tensor(name)


def _checkpoint_of(model_config: Any) -> list[Path]:
    """The files that the server loaded the model from; empty where they are not at hand, or of another format."""
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError

    folder = Path(model_config.model)
    if not folder.is_dir():
        try:
            folder = Path(snapshot_download(model_config.model, revision=model_config.revision, local_files_only=True))
        except (LocalEntryNotFoundError, HfHubHTTPError, OSError, ValueError):
            return []
    return sorted(folder.glob("*.safetensors"))
