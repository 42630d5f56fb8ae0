"""gpo's own sampling loop in the place of `generate`, where the model and the settings allow it."""

import hashlib
import logging
from typing import Any

from trl import GRPOTrainer

from gpocli.errors import SpecError
from gpocli.rollout import Race, Rollout, SamplingSettings, sample_groups, supports
from gpocli.rollout.continuous import sample_groups_continuously

logger = logging.getLogger("gpocli")


class FastSampling(GRPOTrainer):  # type: ignore[misc]
    """`GRPOTrainer` that samples with `gpocli.rollout`; `why_not_fast` says why it does not, None when it does.

    Sampling depends on the run's seed and the place in the run alone, not on the global random state, and, but for
    continuous batching, is the same for any number of processes. `last_rollout` tells which rows ended and which were
    stopped, None after the parent's own path.
    """

    why_not_fast: str | None
    last_rollout: Rollout | None = None
    _sampling_turn = (-1, 0)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.why_not_fast = self._obstacle()
        if self.why_not_fast is not None:
            if self.args.rollout == "race":
                raise SpecError(f"rollout='race' cannot be had here: {self.why_not_fast}; use rollout='auto'")
            logger.info("sampling with TRL's own path: %s", self.why_not_fast)

    def _obstacle(self) -> str | None:
        if self.args.rollout == "generate":
            return "rollout='generate' asks for TRL's own path"
        if self.use_vllm:
            return "vLLM samples"
        if self.args.generation_kwargs or self.args.cache_implementation:
            return "generation_kwargs and cache_implementation are options of transformers' generate"
        if self.tools or self.rollout_func is not None:
            return "tools and rollout functions sample in turns"
        if self.is_fsdp_enabled or self.is_deepspeed_enabled:
            return "FSDP and DeepSpeed shard the weights"
        if self.use_transformers_continuous_batching:
            return None
        return supports(self.accelerator.unwrap_model(self.model))

    def _generate_single_turn(
        self, prompt_ids: list[list[int]], images: Any, multimodal_fields: Any, num_generations: int, *args: Any
    ) -> tuple[list[list[int]], Any]:
        self.last_rollout = None
        if self.why_not_fast is not None or images is not None or multimodal_fields:
            return super()._generate_single_turn(  # type: ignore[no-any-return]
                prompt_ids, images, multimodal_fields, num_generations, *args
            )
        # Without a filter a group may span processes; its rows here are then sampled as groups of one.
        group_size = num_generations if _are_whole_groups(prompt_ids, num_generations) else 1
        self.last_rollout = self._sample(prompt_ids[::group_size], group_size)
        # A candidate that lost before its first token has none; the parent looks at the last token of each.
        return [ids or [self._tokenizer.pad_token_id] for ids in self.last_rollout.completion_ids], None

    def _sample(self, prompts: list[list[int]], group_size: int) -> Rollout:
        model, settings = self.accelerator.unwrap_model(self.model_wrapped), self._sampling_settings()
        seed, process = self._sampling_seed(), self.accelerator.process_index
        if self.use_transformers_continuous_batching:
            return sample_groups_continuously(
                model,
                prompts,
                group_size,
                settings,
                seed=seed + process,
                race=self._race(),
                config=self.continuous_batching_config,
            )
        first_row = process * len(prompts) * group_size
        return sample_groups(model, prompts, group_size, settings, seed=seed, first_row=first_row, race=self._race())

    def _race(self) -> Race | None:
        """The race that the candidates of a group run, None when all of them are needed."""
        return None

    def _sampling_settings(self) -> SamplingSettings:
        return SamplingSettings(
            max_new_tokens=self.max_completion_length,
            temperature=self.temperature,
            top_p=self.top_p,
            top_k=self.top_k or 0,
            min_p=self.min_p,
            repetition_penalty=self.repetition_penalty,
            eos_token_ids=tuple(self.eos_token_ids),
            pad_token_id=self._tokenizer.pad_token_id,
        )

    def _sampling_seed(self) -> int:
        """A number for this place in the run: the seed, the step, and how many rollouts the step has had before."""
        step, turn = self._sampling_turn
        self._sampling_turn = (self.state.global_step, turn + 1 if step == self.state.global_step else 0)
        place = (self.args.seed, self.model.training, *self._sampling_turn)
        return int.from_bytes(hashlib.blake2b(repr(place).encode(), digest_size=7).digest(), "big")


def _are_whole_groups(prompt_ids: list[list[int]], group_size: int) -> bool:
    if len(prompt_ids) % group_size:
        return False
    return all(prompt_ids[i] == prompt_ids[i - i % group_size] for i in range(len(prompt_ids)))
