"""What gpo adds to TRL's `GRPOConfig`, and the checks that its options fit each other and that none is ignored."""

from dataclasses import MISSING, dataclass, field, fields
from typing import TYPE_CHECKING, Any, ClassVar

import torch
from trl import GRPOConfig

from gpocli.contracts.filter import GroupFilter
from gpocli.errors import SpecError
from gpocli.extensions import AlgorithmExtension
from gpocli.trainers.inherited import NEVER_READ

ROLLOUTS = ("auto", "race", "generate")
VLLM_SYNCS = ("nccl", "plugin", "lora")
DIVISORS = ("kept", "group")
FLAT_GROUPS = ("train", "skip", "refill")
_TOKEN_NORMALISED_LOSSES = ("dapo", "cispo")


@dataclass
class GroupConfig(GRPOConfig):  # type: ignore[misc]
    """`GRPOConfig` with a filtered group: G = `num_generations` sampled, k = `num_remains_in_group` kept.

    `per_device_train_batch_size` counts completions that are trained on (kept ones). Raises `SpecError`, a
    `ValueError`, when the numbers do not fit together or an inherited option would have no effect.
    """

    algorithm: ClassVar[AlgorithmExtension | None] = None
    """The algorithm that the class is for: what has no effect under it is refused, too."""

    if TYPE_CHECKING:
        num_generations: int
        num_generations_eval: int | None

    disable_dropout: bool = field(
        default=True,
        metadata={
            "help": "Switch off the dropout of the model itself, which makes noise of ratios and KL terms. Other than "
            "in TRL this is the default, and adapters keep theirs."
        },
    )
    num_remains_in_group: int | None = field(
        default=None,
        metadata={"help": "k: how many completions of a group are kept and trained on. Needs a group filter."},
    )
    divisor: str = field(
        default="kept",
        metadata={
            "help": "Token divisor of the dapo and cispo losses: 'kept' (tokens of the kept completions) or "
            "'group' (tokens of all sampled ones, as in the GFPO paper; turns races off)."
        },
    )
    rollout: str = field(
        default="auto",
        metadata={
            "help": "How groups are sampled: 'auto' (gpo's own loop where the model allows it), 'race' (gpo's own "
            "loop or an error), 'generate' (TRL's own path)."
        },
    )
    vllm_sync: str = field(
        default="nccl",
        metadata={
            "help": "How weights reach vLLM: 'nccl' (a server, from GPU to GPU, as in TRL), 'plugin' (a server, by "
            "files in a shared folder, on any device), 'lora' (the adapter alone, also in the training process)."
        },
    )
    vllm_folder: str | None = field(
        default=None,
        metadata={"help": "Folder for the weights of vllm_sync='plugin'. None: one for temporary files."},
    )
    vllm_served_model: str | None = field(
        default=None, metadata={"help": "The vLLM server's name for the model. None: the model's own."}
    )
    vllm_reconnect: float = field(
        default=300.0, metadata={"help": "Seconds to wait for a vLLM server that is lost, or tells no token."}
    )
    vllm_concurrency: int = field(
        default=256, metadata={"help": "Completions that a process asks of a vLLM server at a time."}
    )

    race: bool = field(
        default=True,
        metadata={
            "help": "Stop candidates that can no longer be kept, where the filter and the rewards that it needs allow "
            "it. The same are kept without."
        },
    )
    whole_every: int = field(
        default=20,
        metadata={
            "help": "Generation batches from one that is sampled without a race to the next, so that the lengths of "
            "all candidates are the policy's; the first is one; 0: never."
        },
    )
    flat_groups: str = field(
        default="train",
        metadata={
            "help": "Groups whose kept rewards are all equal: 'train' on them as TRL does, 'skip' them (their rows are "
            "in no pass of an update and in no term of the loss), or 'refill' their places with the next prompts."
        },
    )
    flat_max_prompts: int = field(
        default=4,
        metadata={
            "help": "With flat_groups='refill': how many times the prompts of a generation batch are sampled at most."
        },
    )

    def __post_init__(self) -> None:
        if vars(self)["bf16"] is None and not self.fp16 and not torch.accelerator.is_available():
            self.bf16 = False  # TRL computes in bfloat16 unless told, which transformers refuses without an accelerator
        if self.whole_every < 0:
            raise SpecError(f"whole_every={self.whole_every} must not be below 0: it counts generation batches")
        if self.flat_max_prompts < 1:
            raise SpecError(f"flat_max_prompts={self.flat_max_prompts} must be 1 or more: it is a number of times")
        _check_choice("flat_groups", self.flat_groups, FLAT_GROUPS)
        _check_choice("divisor", self.divisor, DIVISORS)
        _check_choice("vllm_sync", self.vllm_sync, VLLM_SYNCS)
        _check_choice("rollout", self.rollout, ROLLOUTS)
        group_size = self.num_generations
        keep = self.num_remains_in_group
        if keep is None:
            super().__post_init__()
        else:
            if not 2 <= keep <= group_size:
                raise SpecError(
                    f"num_remains_in_group is {keep}, but must lie between 2 and num_generations ({group_size}): "
                    "advantages compare the kept completions of a group with each other"
                )
            # The parent's arithmetic counts the rows that are trained on, so it has to see k as the group size;
            # evaluation samples whole groups.
            if self.num_generations_eval is None:
                self.num_generations_eval = group_size
            self.num_generations = keep
            try:
                super().__post_init__()
            finally:
                self.num_generations = group_size
            rows = self.per_device_train_batch_size * self.steps_per_generation
            if rows % keep:
                raise SpecError(
                    f"per_device_train_batch_size ({self.per_device_train_batch_size}) x steps_per_generation "
                    f"({self.steps_per_generation}) = {rows} kept completions a process, which is not a multiple of "
                    f"num_remains_in_group ({keep}): every process must hold whole groups"
                )
        if self.divisor == "group" and self.loss_type not in _TOKEN_NORMALISED_LOSSES:
            raise SpecError(
                f"divisor='group' has no effect on loss_type={self.loss_type!r}, which does not divide by the tokens "
                f"of the batch: use one of {', '.join(_TOKEN_NORMALISED_LOSSES)}, or divisor='kept'"
            )
        self._refuse_options_without_effect()

    def _refuse_options_without_effect(self) -> None:
        refused = NEVER_READ | (dict(self.algorithm.refused) if self.algorithm is not None else {})
        for config_field in fields(self):
            refusal = refused.get(config_field.name)
            if refusal is None:
                continue
            value = getattr(self, config_field.name)
            if value != _default_of(config_field):
                raise SpecError(f"{config_field.name}={value!r} has no effect under {type(self).__name__}: {refusal}")


def checked_filter(filters: Any, args: GroupConfig, trainer_kwargs: dict[str, Any]) -> GroupFilter | None:
    """The filter or chain as one `GroupFilter`; raises `SpecError` when it does not fit the run."""
    keep = args.num_remains_in_group
    if filters is None:
        if keep is not None:
            raise SpecError(
                f"num_remains_in_group={keep} needs a filter: pass group_filter_func, or leave num_remains_in_group "
                "out to train on every completion"
            )
        return None
    if isinstance(filters, GroupFilter):
        group_filter = filters
    else:
        group_filter = GroupFilter(filters if isinstance(filters, (list, tuple)) else [filters])
    if keep is None:
        raise SpecError(
            f"filter '{group_filter.name}' has nothing to do: set num_remains_in_group (k), how many of the "
            f"{args.num_generations} completions of a group are kept"
        )
    group_filter.check_keep(keep)
    for name in ("tools", "environment_factory", "rollout_func"):
        if trainer_kwargs.get(name):
            raise SpecError(f"{name} does not work with a group filter: leave out one of the two")
    return group_filter


def _default_of(config_field: Any) -> Any:
    return config_field.default_factory() if config_field.default is MISSING else config_field.default


def _check_choice(name: str, value: object, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise SpecError(f"{name}={value!r} is not known: write one of {', '.join(choices)}")
