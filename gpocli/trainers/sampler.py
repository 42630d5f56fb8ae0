"""Which engine samples for a trainer, and what it is asked."""

import hashlib
import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from types import ModuleType
from typing import Any

from gpocli.errors import SpecError, counted
from gpocli.rollout import Board, Race, Rollout, SamplingRequest, SamplingSettings
from gpocli.trainers.engines import ENGINES, loop, trl_path
from gpocli.trainers.vllm import refuse_what_vllm_would_drop

logger = logging.getLogger("gpocli")


class Sampler:
    """Samples with the first engine that can serve the trainer; `why_not_fast` says why it is TRL's own, else None.

    Sampling depends on the run's seed and the place in the run alone, not on the global random state.
    """

    def __init__(self, trainer: Any) -> None:
        self._trainer = trainer
        self._turns = {True: (-1, 0), False: (-1, 0)}
        self._last: Rollout | None = None
        self._has_told_of_trl = False
        self._engine = next(engine for engine in ENGINES if engine.why_not(trainer) is None)
        if trainer.use_vllm:
            refuse_what_vllm_would_drop(trainer)
        self.why_not_fast: str | None = loop.why_not(trainer) if self._engine is trl_path else None
        if self.why_not_fast is not None:
            if trainer.args.rollout == "race":
                raise SpecError(f"rollout='race' cannot be had here: {self.why_not_fast}; use rollout='auto'")
            trl_path.refuse_what_generate_cannot(trainer)
            logger.info("sampling with TRL's own path: %s", self.why_not_fast)
        trl_path.settle(trainer)

    def sample(
        self,
        prompt_ids: list[list[int]],
        group_size: int,
        parent: Callable[[], tuple[list[list[int]], Any]],
        *,
        race: Callable[[], Race | None] | None,
        is_text: bool,
    ) -> tuple[list[list[int]], Any]:
        """Completions of prompts that stand group after group, and their log-probabilities where TRL wants them.

        `parent` is TRL's own generation of the same prompts, which is the only one that takes images.
        """
        # Without a filter a group may span processes; its rows here are then sampled as groups of one.
        size = group_size if _are_whole_groups(prompt_ids, group_size) else 1
        request = SamplingRequest(
            prompts_P=prompt_ids[::size],
            group_size=size,
            settings=self._settings(),
            seed=self._seed(),
            first_row=self._trainer.accelerator.process_index * len(prompt_ids),
            on_board=self._tell_of,
        )
        self._trainer.activity.tells(lambda: counted(len(prompt_ids), "completion"))
        engine = self._engine_for(request) if is_text else trl_path
        if race is not None and engine is not trl_path:
            request = replace(request, race=race())
        rollout: Rollout = engine.sample(self._trainer, request, parent)
        if engine is trl_path:
            self._last = None
            return rollout.completion_ids, rollout.logps
        self._last = rollout
        # A candidate that lost before its first token has none; the parent looks at the last token of each.
        pad = self._trainer._tokenizer.pad_token_id
        logps = [row or [0.0] for row in rollout.logps or ()] if self._trainer.use_vllm else None
        return [ids or [pad] for ids in rollout.completion_ids], logps

    def _engine_for(self, request: SamplingRequest) -> ModuleType:
        """The engine of this run, or TRL's own path for a request that no other one serves."""
        trainer = self._trainer
        reason: str | None = self._engine.why_not_this(trainer, request)
        if reason is None:
            return self._engine
        if trainer.args.rollout == "race":
            raise SpecError(f"rollout='race' cannot be had here: {reason}; use rollout='auto'")
        if not self._has_told_of_trl:
            trainer.on_note(f"sampling with TRL's own path: {reason}")
            self._has_told_of_trl = True
        return trl_path

    def _tell_of(self, board: Board) -> None:
        """Let the activity of the run count the candidates of this process that have ended or lost."""
        rows = board.num_running

        def how_far() -> str:
            longest = max(map(len, board.completion_ids), default=0)
            return f"{rows - board.num_running}/{rows} ended, at token {longest}"

        self._trainer.activity.tells(how_far)

    def rollout_of(self, completion_ids: list[list[int]]) -> Rollout:
        """The newest rollout, whose completions the parent has after its own steps (tools may have added turns)."""
        return self._last or trl_path.as_rollout(completion_ids, self._trainer.eos_token_ids)

    def ended(self, completion_ids: Sequence[Sequence[int]]) -> list[bool]:
        """Which completions ended by themselves, as their last token tells."""
        return [bool(ids) and ids[-1] in self._trainer.eos_token_ids for ids in completion_ids]

    def _settings(self) -> SamplingSettings:
        trainer = self._trainer
        return SamplingSettings(
            max_new_tokens=trainer.max_completion_length,
            temperature=trainer.temperature,
            top_p=trainer.top_p,
            top_k=trainer.top_k or 0,
            min_p=trainer.min_p,
            repetition_penalty=trainer.repetition_penalty,
            eos_token_ids=tuple(trainer.eos_token_ids),
            pad_token_id=trainer._tokenizer.pad_token_id,
        )

    def _seed(self) -> int:
        """A number for this place in the run: the seed, whether it trains, the step, and how many rollouts it had."""
        trainer = self._trainer
        trains, here = trainer.model.training, trainer.state.global_step
        step, turn = self._turns[trains]
        self._turns[trains] = (here, turn + 1 if step == here else 0)
        place = (trainer.args.seed, trains, *self._turns[trains])
        return int.from_bytes(hashlib.blake2b(repr(place).encode(), digest_size=7).digest(), "big")


def _are_whole_groups(prompt_ids: list[list[int]], group_size: int) -> bool:
    if len(prompt_ids) % group_size:
        return False
    return all(prompt_ids[i] == prompt_ids[i - i % group_size] for i in range(len(prompt_ids)))
