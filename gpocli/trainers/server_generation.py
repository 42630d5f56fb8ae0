"""TRL's vLLM backend for a server: weights in step with the trainer's, and a server that may be restarted."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from accelerate.utils import broadcast_object_list
from trl.generation.vllm_generation import VLLMGeneration
from trl.trainer import grpo_trainer

from gpocli.errors import GpoError, ServerFault, ServerLost
from gpocli.serving.client import START, Control
from gpocli.serving.facts import Wanted, places_of
from gpocli.trainers.adapter import adapter_of, rank_of
from gpocli.trainers.adapter_client import AdapterClient
from gpocli.trainers.config import GroupConfig
from gpocli.trainers.probe import ServerProbe
from gpocli.trainers.server_client import FolderClient, ServerClient

logger = logging.getLogger("gpocli")

_LOOKS_BETWEEN_WORDS = 15.0
_COMEBACKS = 3
"""How often in a row a server may be lost in one push before the run ends."""

_T = TypeVar("_T")


@contextmanager
def server_generation(trainer: Any, args: GroupConfig) -> Iterator[None]:
    """While TRL builds its backend: one for a server is gpo's own, which knows `trainer`."""
    if not args.use_vllm or args.vllm_mode != "server":
        yield
        return
    backend = grpo_trainer.VLLMGeneration
    grpo_trainer.VLLMGeneration = partial(ServerGeneration, trainer, args)
    try:
        yield
    finally:
        grpo_trainer.VLLMGeneration = backend


@dataclass(frozen=True, slots=True)
class Served:
    """What the server has: its name for the policy, the version and type of the weights, the context in tokens."""

    model: str | None
    version: str
    dtype: str
    context: int


class ServerGeneration(VLLMGeneration):  # type: ignore[misc]
    """`VLLMGeneration` whose server is looked after.

    `sync_weights` is TRL's, with its ways for adapters, FSDP and ZeRO, through a client of gpo's own. After each push
    the server's log-probabilities are compared with the trainer's. A server that is lost is waited for, and is given
    the weights again. All processes raise what the main one met.
    """

    vllm_client: ServerClient

    def __init__(self, trainer: Any, args: GroupConfig, **options: Any) -> None:
        self._trainer, self._args = trainer, args
        self.url = args.vllm_server_base_url or f"http://{args.vllm_server_host}:{args.vllm_server_port}"
        self.served = Served("", "", "float32", 0)
        super().__init__(**options)
        self._probe = ServerProbe(trainer, self)

    def _init_vllm(self) -> None:
        # TRL's refuses to start without vLLM in the trainer's own environment.
        self.on_main(self._connect)
        self.served = self.on_main(self._tell)
        self.accelerator.wait_for_everyone()

    def sync_weights(self) -> None:
        """Give the server the trainer's weights, and see that it uses them."""
        for _ in range(_COMEBACKS):
            try:
                self._push()
                return
            except ServerLost as fault:
                lost = fault
                self.come_back(fault)
        raise ServerFault(f"{lost}; it was lost {_COMEBACKS} times while it took weights; its log tells why")

    def _push(self) -> None:
        if fault := self._fault_of(self._send):
            raise fault
        self.served = self.on_main(self._tell)
        self._probe.compare()

    def _send(self) -> None:
        if self._args.vllm_sync != "lora":
            super().sync_weights()
            return
        adapter = adapter_of(self._trainer)
        if self.accelerator.is_main_process:
            assert isinstance(self.vllm_client, AdapterClient)
            self.vllm_client.load(adapter)

    def keep_in_step(self) -> None:
        """Push where the trainer has made a step since the last push, or the server was restarted."""
        step = self._trainer.state.global_step
        if self._trainer._last_loaded_step == step and self.on_main(self._has_kept):
            return
        self.sync_weights()
        self._trainer._last_loaded_step = step

    def come_back(self, fault: ServerLost) -> None:
        """Wait for a lost server, and be ready to push again. Raises `ServerFault` after a wait in vain."""
        self.on_main(partial(self._wait_again, fault))

    def on_main(self, act: Callable[[], _T]) -> _T:
        """What `act` returns in the main process; all processes raise what it raises there."""
        told: Any = None
        if self.accelerator.is_main_process:
            try:
                told = act()
            except GpoError as error:
                told = error
        told = self._of_main(told)
        if isinstance(told, GpoError):
            raise told
        return told  # type: ignore[no-any-return]

    # In the main process

    def _connect(self) -> None:
        args = self._args
        control = Control(self.url)
        self._wait(control, args.vllm_server_timeout, f"no vLLM server answers at {self.url}")
        options = {"control": control, "wanted": self._wanted(), "group_port": self.group_port}
        if args.vllm_sync == "nccl":
            self.vllm_client = ServerClient(**options)
        else:
            made = AdapterClient if args.vllm_sync == "lora" else FolderClient
            self.vllm_client = made(**options, folder=args.vllm_folder)
        self.vllm_client.check()
        self.vllm_client.init_communicator(self.accelerator.device)

    def _tell(self) -> Served:
        client = self.vllm_client
        return Served(client.model, client.version, client.dtype, client.context)

    def _wanted(self) -> Wanted:
        name = self._trainer.model.config._name_or_path
        served = self._args.vllm_served_model
        return Wanted(
            model=served or name,
            model_places=() if served else places_of(name),
            sync=self._args.vllm_sync,
            tokens=self.max_completion_length + 1,
            rank=rank_of(self._trainer.model) if self._args.vllm_sync == "lora" else 0,
        )

    def _has_kept(self) -> bool:
        try:
            return self.vllm_client.is_in_step()
        except ServerLost:
            return False

    def _wait_again(self, fault: ServerLost) -> None:
        self._wait(self.vllm_client.control, self._args.vllm_reconnect, str(fault))
        self._note(f"the vLLM server at {self.url} is back: it is given the weights again")
        self.vllm_client.check()
        self.vllm_client.init_communicator(self.accelerator.device)

    def _wait(self, control: Control, seconds: float, what: str) -> None:
        next_word = 0.0

        def tell(waited: float) -> None:
            nonlocal next_word
            if waited >= next_word:
                self._note(f"{what}; waiting for it, {waited:.0f} of {seconds:.0f} s")
                next_word = waited + _LOOKS_BETWEEN_WORDS

        if not control.wait(seconds, tell):
            raise ServerFault(f"{what}; waited {seconds:.0f} s for it; {START}")

    def _note(self, text: str) -> None:
        # While the trainer is built, nobody has told it yet whom to tell.
        getattr(self._trainer, "on_note", logger.warning)(text)

    # Between processes

    def _fault_of(self, act: Callable[[], None]) -> ServerFault | None:
        """The fault that `act`, which all processes take part in, met in the main one."""
        fault = None
        try:
            act()
        except ServerFault as error:
            fault = error
        return self._of_main(fault)  # type: ignore[no-any-return]

    def _of_main(self, item: Any) -> Any:
        if self.accelerator.num_processes == 1:
            return item
        told = [item]
        broadcast_object_list(told, from_process=0)
        return told[0]
