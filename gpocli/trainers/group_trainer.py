"""The trainer under GFPO and GMPO: TRL's `GRPOTrainer` with filtered groups and fast sampling."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from accelerate.utils import gather_object
from transformers.trainer_utils import PREFIX_CHECKPOINT_DIR

from gpocli.contracts.filter import GroupFilter
from gpocli.contracts.reward import checked_rewards
from gpocli.errors import SpecError
from gpocli.rollout import Race
from gpocli.runs.candidate import CandidateRecord
from gpocli.trainers.clock import StepClock
from gpocli.trainers.config import GroupConfig
from gpocli.trainers.epoch_sampler import EpochRepeatSampler
from gpocli.trainers.exact_evaluation import ExactEvaluation
from gpocli.trainers.fast_sampling import FastSampling
from gpocli.trainers.generation import Candidates, Selection, select_candidates, to_records
from gpocli.trainers.lean_passes import LeanPasses


class GroupTrainer(FastSampling, LeanPasses, ExactEvaluation):
    """`GRPOTrainer` around a best-k-of-G sampler.

    What differs from the parent, and nothing else does:

    - The data loader repeats each prompt k times. `_generate` samples G candidates for each group of k equal prompts,
      lets the group filter choose k of them, and hands those on; padding, old and reference log-probabilities,
      advantages, batching and the loss are the parent's and see kept completions only.
    - Rewards are computed once: for all candidates if the filter needs them, else for the kept ones.
    - Sampling uses gpo's own loop (`gpocli.rollout`) where the model and the settings allow it, with a race when the
      filter can bound what an unfinished candidate may still score.
    - A checkpoint also holds what is needed to go on in the middle of a generation batch.

    Without a filter every candidate is kept and the run equals TRL's GRPO.

    Args (those that `GRPOTrainer` does not have):
        group_filter_func: a filter, or several that form a chain (the next breaks ties of the one before). A filter
            is a callable `(group_completions, group_rewards, **kwargs) -> list[list[float]]`, higher is kept.
    """

    def __init__(
        self,
        model: Any,
        reward_funcs: Any = None,
        args: GroupConfig | None = None,
        train_dataset: Any = None,
        eval_dataset: Any = None,
        processing_class: Any = None,
        reward_processing_classes: Any = None,
        group_filter_func: Any = None,
        callbacks: Any = None,
        optimizers: Any = (None, None),
        peft_config: Any = None,
        **kwargs: Any,
    ) -> None:
        if args is None:
            args = self._default_config(model)
        self.group_filter = _checked_filter(group_filter_func, args, kwargs)
        reward_funcs = reward_funcs if isinstance(reward_funcs, list) else [reward_funcs]
        super().__init__(
            model,
            checked_rewards([reward for reward in reward_funcs if reward is not None]),
            args=args,
            train_dataset=train_dataset,
            eval_dataset=eval_dataset,
            processing_class=processing_class,
            reward_processing_classes=reward_processing_classes,
            callbacks=callbacks,
            optimizers=optimizers,
            peft_config=peft_config,
            **kwargs,
        )
        self.group_size: int = args.num_generations
        self.keep: int = args.num_remains_in_group or self.group_size
        self.num_generations = self.keep
        self.on_candidates: Callable[[list[CandidateRecord]], None] | None = None
        """Called on the main process with the records of each generation batch. Set it on every process or on none."""
        self._clock = StepClock()
        self._sampled_tokens = 0
        self._candidates: Candidates | None = None
        self._selection: Selection | None = None
        self._scored: torch.Tensor | None = None

    @classmethod
    def _default_config(cls, model: Any) -> GroupConfig:
        raise NotImplementedError

    # Construction

    def _get_train_sampler(self, dataset: Any = None) -> EpochRepeatSampler:
        return EpochRepeatSampler(
            data_source=self.train_dataset if dataset is None else dataset,
            mini_repeat_count=self.num_generations,
            batch_size=self.args.generation_batch_size // self.num_generations,
            repeat_count=self.num_iterations * self.args.steps_per_generation,
            shuffle=self.shuffle_dataset,
            seed=self.args.seed,
        )

    # Sampling

    def _generate(self, prompts: list[Any]) -> tuple[Any, ...]:
        if not self.model.training:
            return super()._generate(prompts)  # type: ignore[no-any-return]
        if self.group_filter is None:
            self._candidates = Candidates(self.group_size, self._rows, prompts)
            out = super()._generate(prompts)
            self._note_candidates(out)
            return out  # type: ignore[no-any-return]

        source = [start for start in range(0, len(prompts), self.keep) for _ in range(self.group_size)]
        self._candidates = Candidates(self.group_size, [self._rows[i] for i in source], [prompts[i] for i in source])
        # The parent hands num_generations to vLLM, which samples that many completions for each distinct prompt.
        self.num_generations = self.group_size
        try:
            out = super()._generate(self._candidates.prompts)
        finally:
            self.num_generations = self.keep
        self._note_candidates(out)
        kept = self._select()
        size = len(source)
        return tuple([item[i] for i in kept] if isinstance(item, list) and len(item) == size else item for item in out)

    def _generate_single_turn(self, *args: Any, **kwargs: Any) -> tuple[list[list[int]], Any]:
        with self._clock.measure("generate"):
            return super()._generate_single_turn(*args, **kwargs)

    def _race(self) -> Race | None:
        group_filter, candidates = self.group_filter, self._candidates
        is_exact = group_filter is not None and group_filter.can_race and self.args.divisor == "kept"
        if not is_exact or not self.model.training or candidates is None:
            return None
        assert group_filter is not None
        is_chat = not isinstance(candidates.prompts[0], str)

        def score(row: int, ids: list[int], finished: bool) -> tuple[float, ...]:
            text = self.processing_class.decode(ids, skip_special_tokens=True)
            completion = [{"role": "assistant", "content": text}] if is_chat else text
            columns = {name: [[value]] for name, value in candidates.rows[row].items() if name != "prompt"}
            told = columns | {
                "completion_ids": [[ids]],
                "completion_lengths": [[len(ids)]],
                "finished": [[finished]],
                "prompts": [[candidates.prompts[row]]],
                "rewards_per_func": None,
                "trainer_state": self.state,
            }
            return group_filter.score([[completion]], None, **told)[0][0]

        return Race(keep=self.keep, score=score, bound=group_filter.score_bound)

    def _note_candidates(self, out: tuple[Any, ...]) -> None:
        """Take over what the parent's `_generate` returned for the candidates, and mend its figures."""
        candidates = self._candidates
        assert candidates is not None
        candidates.completion_ids, candidates.completions = out[1], out[3]
        size = len(candidates)
        candidates.rewards, candidates.totals = [None] * size, [None] * size
        if self.last_rollout is not None:
            candidates.completion_ids = self.last_rollout.completion_ids
            candidates.finished, candidates.lost = self.last_rollout.finished, self.last_rollout.lost
        else:
            candidates.finished = self._are_finished(candidates.completion_ids)
            candidates.lost = [False] * size
        counts = torch.tensor(
            [
                size,
                sum(candidates.lost),
                size - sum(candidates.finished) - sum(candidates.lost),
                sum(candidates.lengths),
            ],
            device=self.accelerator.device,
        )
        total, lost, truncated, tokens = self.accelerator.gather(counts).view(-1, 4).sum(0).tolist()
        metrics = self._metrics["train"]
        # The parent takes every candidate without an end token for one that was cut at the limit.
        metrics["completions/clipped_ratio"][-1] = truncated / total
        metrics["lost/share"].append(lost / total)
        self._sampled_tokens += tokens

    def _are_finished(self, completion_ids: list[list[int]]) -> list[bool]:
        return [bool(ids) and ids[-1] in self.eos_token_ids for ids in completion_ids]

    # Selection and rewards

    def _select(self) -> list[int]:
        candidates, group_filter = self._candidates, self.group_filter
        assert candidates is not None
        assert group_filter is not None
        scored = None
        if group_filter.needs_rewards:
            scored = self._local(self._score(candidates), len(candidates))
            self._note_rewards(scored, range(len(candidates)))
        with self._clock.measure("filter"):
            selection = select_candidates(
                candidates, group_filter, self.keep, self.reward_func_names, self.state, gather_object
            )
        self._selection = selection
        kept = selection.kept
        if scored is not None:
            # Rows that only fill up a group count as unscorable: the parent leaves NaN out of mean and deviation and
            # gives it advantage 0.
            kept_rewards = scored[kept]
            kept_rewards[selection.surplus] = torch.nan
            self._scored = self.accelerator.gather(kept_rewards)
        self._log_selection(candidates, selection)
        return kept

    def _score(self, candidates: Candidates) -> torch.Tensor:
        """The rewards of all candidates of all processes, shape (processes x P x G, number of rewards)."""
        return self._call_rewards(
            candidates.rows, candidates.prompts, candidates.completions, candidates.completion_ids
        )

    def _calculate_rewards(
        self,
        inputs: list[dict[str, Any]],
        prompts: list[Any],
        completions: list[Any],
        completion_ids: list[list[int]],
    ) -> torch.Tensor:
        if self._scored is not None:
            scored, self._scored = self._scored, None
            return scored
        scored = self._call_rewards(inputs, prompts, completions, completion_ids)
        if self.model.training and self._candidates is not None:
            kept = range(len(self._candidates)) if self._selection is None else self._selection.kept
            self._note_rewards(self._local(scored, len(prompts)), kept)
        return scored

    def _call_rewards(
        self,
        inputs: list[dict[str, Any]],
        prompts: list[Any],
        completions: list[Any],
        completion_ids: list[list[int]],
    ) -> torch.Tensor:
        if "finished" not in inputs[0]:
            finished = self._are_finished(completion_ids)
            inputs = [row | {"finished": flag} for row, flag in zip(inputs, finished, strict=True)]
        with self._clock.measure("reward"):
            scored: torch.Tensor = super()._calculate_rewards(inputs, prompts, completions, completion_ids)
        return scored

    def _local(self, gathered: torch.Tensor, size: int) -> torch.Tensor:
        start = self.accelerator.process_index * size
        return gathered[start : start + size]

    def _note_rewards(self, scored_BF: torch.Tensor, rows: Any) -> None:
        """Write the rewards of some candidates down, and their weighted sum (NaN where no reward applies)."""
        assert self._candidates is not None
        totals_B = (scored_BF * self.reward_weights.to(scored_BF.device)).nansum(1)
        totals_B[scored_BF.isnan().all(1)] = torch.nan
        for i, rewards, total in zip(rows, scored_BF.tolist(), totals_B.tolist(), strict=True):
            self._candidates.rewards[i], self._candidates.totals[i] = rewards, total

    def _log_selection(self, candidates: Candidates, selection: Selection) -> None:
        lengths, surplus = candidates.lengths, set(selection.surplus)
        trained = [i for row, i in enumerate(selection.kept) if row not in surplus]
        known = [total for total in candidates.totals if total is not None and total == total]
        sums = torch.tensor(
            [len(candidates), len(trained), sum(lengths[i] for i in trained), len(known), sum(known)],
            dtype=torch.float64 if self.accelerator.device.type != "mps" else torch.float32,
            device=self.accelerator.device,
        )
        total, kept, kept_tokens, rewarded, reward_sum = self.accelerator.gather(sums).view(-1, 5).sum(0).tolist()
        metrics = self._metrics["train"]
        metrics["kept/share"].append(kept / total)
        metrics["kept/mean_length"].append(kept_tokens / max(kept, 1))
        if rewarded:
            metrics["candidates/reward"].append(reward_sum / rewarded)

    def _generate_and_score_completions(self, inputs: list[dict[str, Any]]) -> dict[str, Any]:
        if self.group_filter is not None and ("image" in inputs[0] or "images" in inputs[0]):
            raise SpecError("data with images does not work with a group filter: leave out one of the two")
        self._rows = inputs
        self._candidates = self._selection = None
        output: dict[str, Any] = super()._generate_and_score_completions(inputs)
        if self.model.training:
            self._leave_out_surplus(output)
            if self.args.divisor == "group":
                output["num_items_in_batch"] = self._group_tokens()
            self._report_candidates(output["advantages"])
        return output

    def _leave_out_surplus(self, output: dict[str, Any]) -> None:
        """Rows that only fill up a group have no token in the loss, in its divisor or in the KL term."""
        if self._selection is None or not self.group_filter or not self.group_filter.adaptive:
            return
        output["completion_mask"][self._selection.surplus] = 0
        output["num_items_in_batch"] = self.accelerator.gather(output["completion_mask"].sum()).sum()

    def _group_tokens(self) -> torch.Tensor:
        """Tokens of all candidates of all processes: the divisor of the GFPO paper."""
        candidates = self._candidates
        assert candidates is not None
        counted = [
            length
            for length, finished in zip(candidates.lengths, candidates.finished, strict=True)
            if finished or not self.mask_truncated_completions
        ]
        tokens = torch.tensor(sum(counted), device=self.accelerator.device)
        return self.accelerator.gather(tokens).sum()  # type: ignore[no-any-return]

    def _report_candidates(self, advantages: torch.Tensor) -> None:
        if self.on_candidates is None or self._candidates is None:
            return
        records = to_records(
            self._candidates,
            self._selection,
            advantages.tolist(),
            self.reward_func_names,
            self.state.global_step + 1,
            self.accelerator.process_index * len(self._candidates),
        )
        records = gather_object(records)
        if self.accelerator.is_main_process:
            self.on_candidates(records)

    # Steps

    def training_step(self, model: Any, inputs: Any, num_items_in_batch: Any) -> torch.Tensor:
        with self._clock.measure("step"):
            loss: torch.Tensor = super().training_step(model, inputs, num_items_in_batch)
        if self._step % self.current_gradient_accumulation_steps == 0:
            seconds = self._clock.read_and_reset()
            metrics = self._metrics["train"]
            for part in ("generate", "reward", "filter", "update"):
                metrics[f"time/{part}"].append(seconds[part])
            if self._sampled_tokens:
                metrics["tokens_per_second"].append(self._sampled_tokens / seconds["step"])
                self._sampled_tokens = 0
        return loss

    # Checkpoints

    def _save_checkpoint(self, model: Any, trial: Any) -> None:
        # Before the parent's part, which ends with the file that marks a checkpoint as whole.
        folder = Path(self._get_output_dir(trial=trial)) / f"{PREFIX_CHECKPOINT_DIR}-{self.state.global_step}"
        folder.mkdir(parents=True, exist_ok=True)
        is_mid_window = self._step % (self.args.steps_per_generation * self.num_iterations) != 0
        torch.save(
            {
                "micro_step": self._step,
                "buffered_inputs": self._buffered_inputs if is_mid_window else None,
                "filter": self.group_filter.state_dict() if self.group_filter is not None else None,
            },
            folder / self._generation_state_name(),
        )
        self.accelerator.wait_for_everyone()
        super()._save_checkpoint(model, trial)

    def _load_optimizer_and_scheduler(self, checkpoint: str | None) -> None:
        super()._load_optimizer_and_scheduler(checkpoint)
        if checkpoint is None:
            return
        path = Path(checkpoint) / self._generation_state_name()
        if not path.exists():
            return  # a checkpoint that TRL's own trainer wrote
        device = self.accelerator.device  # "cpu:0" with several processes, which torch.load does not know
        state = torch.load(path, map_location="cpu" if device.type == "cpu" else device, weights_only=True)
        self._step = state["micro_step"]
        self._buffered_inputs = state["buffered_inputs"]
        if self.group_filter is not None and state["filter"] is not None:
            self.group_filter.load_state_dict(state["filter"])

    def _generation_state_name(self) -> str:
        return f"generation_state_{self.accelerator.process_index}.pt"


def _checked_filter(filters: Any, args: GroupConfig, trainer_kwargs: dict[str, Any]) -> GroupFilter | None:
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
