"""TRL's vLLM backend in the training process, given the adapter alone."""

import shutil
import tempfile
import weakref
from pathlib import Path
from typing import Any

from trl.generation.vllm_generation import VLLMGeneration

from gpocli.errors import SpecError
from gpocli.serving.adapters import ADAPTERS_AT_A_TIME, rank_of_engine
from gpocli.trainers.adapter import adapter_of, rank_of
from gpocli.trainers.probe import EngineProbe


class AdapterGeneration(VLLMGeneration):  # type: ignore[misc]
    """`VLLMGeneration` whose engine keeps the base model and adds the newest adapter to it, by a new name each time.

    TRL merges the adapter and sends all weights. vLLM's prefix cache keeps the keys of each name apart.
    """

    request: Any = None
    """vLLM's `LoRARequest` of the newest adapter."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._is_due, self._pushes = True, 0
        self._folder = Path(tempfile.mkdtemp(prefix="gpo-adapter-"))
        self._remove = weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)

    def generate(self, *args: Any, **options: Any) -> Any:
        if "generate" not in vars(self.llm):  # TRL's own way, which would ask the base model alone
            raise SpecError(
                "sampling.vllm.sync: lora in the training process does not sample from images; write sampling.vllm: "
                "null, which sends all weights"
            )
        return super().generate(*args, **options)

    def sync_weights(self) -> None:
        """Only tells that the adapter is another one by now: it is read where the trainer is known."""
        self._is_due = True

    def bring(self, trainer: Any) -> Any:
        """The request for the newest adapter, which the engine has been seen to use. All processes must call it."""
        if self._is_due:
            self._load(trainer)
            EngineProbe(trainer, self.llm, self.request).compare()
            self._is_due = False
        return self.request

    def _load(self, trainer: Any) -> None:
        from vllm.lora.request import LoRARequest

        engine, last = self.llm.llm_engine, self.request
        self._pushes += 1
        folder = self._folder / str(self._pushes)
        adapter_of(trainer).write(folder)
        self.request = LoRARequest(f"gpo-{self._pushes}", self._pushes, str(folder))
        if last is not None:
            engine.remove_lora(last.lora_int_id)
            shutil.rmtree(last.lora_path)
        engine.add_lora(self.request)


def engine_options(model: Any) -> dict[str, Any]:
    """What an engine needs that takes the adapter of `model`. Raises `SpecError` for a model without one."""
    return {"enable_lora": True, "max_lora_rank": rank_of_engine(rank_of(model)), "max_loras": ADAPTERS_AT_A_TIME}
