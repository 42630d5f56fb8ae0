"""The trainer under every algorithm: each place where gpo hooks into TRL's `GRPOTrainer`, in the order of a step."""

import logging
from collections.abc import Callable, Mapping, Sequence, Sized
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Any

import torch
from transformers.trainer_utils import PREFIX_CHECKPOINT_DIR, TrainOutput, set_seed
from trl import GRPOTrainer
from trl.trainer.utils import get_config_model_id

from gpocli.contracts.filter import GroupFilter
from gpocli.contracts.reward import checked_rewards
from gpocli.contracts.reward_call import SKIPPED
from gpocli.errors import SpecError
from gpocli.rollout.loop import evaluation_mode
from gpocli.rollout.support import needs_positions
from gpocli.rollout.trim import trimmable_sides
from gpocli.runs.activity import Activity, place_of_update
from gpocli.runs.records import CandidateRecord
from gpocli.sharing.card import CardFacts
from gpocli.trainers.card import write_card
from gpocli.trainers.checkpoints import remove_reference, resumable, save_whole
from gpocli.trainers.clock import StepClock
from gpocli.trainers.config import GroupConfig, checked_filter
from gpocli.trainers.deal import dealt
from gpocli.trainers.dropout import switch_off_dropout
from gpocli.trainers.epoch_sampler import EpochRepeatSampler
from gpocli.trainers.evaluation import EvaluationRows, random_state_kept
from gpocli.trainers.figures import append_figures, owned_names, taken_back
from gpocli.trainers.group_round import GroupRound, GroupRules
from gpocli.trainers.loss_figures import LossFigures
from gpocli.trainers.objective import Objective
from gpocli.trainers.passes import (
    depends_on_company,
    is_text_alone,
    ordered_by_length,
    trimmed_pass,
    window_of,
    with_positions,
)
from gpocli.trainers.processes import Processes
from gpocli.trainers.refill import Refill
from gpocli.trainers.sampler import Sampler
from gpocli.trainers.sampling_check import SamplingCheck
from gpocli.trainers.server_generation import server_generation
from gpocli.trainers.silent_rows import heard_rows, may_leave, without_silent
from gpocli.trainers.state import ResumeCallback, load_state
from gpocli.trainers.stop import Stop
from gpocli.trainers.vllm import suited_engine

logger = logging.getLogger("gpocli")


class GroupTrainer(GRPOTrainer):  # type: ignore[misc]
    """`GRPOTrainer` around a best-k-of-G sampler.

    What differs from the parent, and nothing else does:

    - The data loader repeats each prompt k times. `_generate` samples G candidates for each group of k equal prompts,
      lets the group filter choose k of them, and hands those on; padding, old and reference log-probabilities,
      advantages, batching and the loss are the parent's and see kept completions only.
    - Rewards are computed once: for all candidates if the filter needs them, else for the kept ones.
    - Sampling uses gpo's own loop (`gpocli.rollout`) where the model and the settings allow it, with a race when the
      filter can bound what an unfinished candidate may still score.
    - Passes leave out columns that are padding in all rows, and rows of like length share a micro-batch. Models that do
      not see distances alone are told positions as `generate` tells them, and old and reference log-probabilities are
      those of evaluation mode, in which completions are sampled. Dropout of the model itself is off by default.
    - Rows without an advantage are in no pass of an update to which they add nothing. Groups that are flat may be left
      out of every term of the loss, or give their places to the next prompts (`flat_groups`).
    - The log-probabilities with which tokens were drawn are compared with the trainer's, now and then.
    - Each update of a generation batch has the same rows with any number of processes. Rows that only fill up a group
      count in no loss.
    - Each figure is of one population, the same in training and evaluation (`docs/metrics.md`), and evaluation leaves
      no trace in training. Now and then a generation batch is sampled without a race, which tells the policy's lengths.
    - A checkpoint holds all of the run's state (`RunState`) and is whole or not there: a resumed run is the same run.
    - Beside each model that is saved stands a card that tells how it was made.

    Without a filter every candidate is kept and the run equals TRL's GRPO.

    Args (those that `GRPOTrainer` does not have):
        group_filter_func: a filter, or several that form a chain (the next breaks ties of the one before). A filter
            is a callable `(group_completions, group_rewards, **kwargs) -> list[list[float]]`, higher is kept.
    """

    config_class: type[GroupConfig] = GroupConfig
    _buffered_inputs: list[dict[str, Any]] | None
    objective_class: type[Objective] = Objective
    """How the loss differs from the parent's; not at all by default."""

    # Construction

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
        **kwargs: Any,
    ) -> None:
        if args is None:
            args = self.config_class(default_output_dir(model, self._tag_names[-1].upper()))
        self.group_filter: GroupFilter | None = checked_filter(group_filter_func, args, kwargs)
        rewards = reward_funcs if isinstance(reward_funcs, list) else [reward_funcs]
        rewards = checked_rewards([reward for reward in rewards if reward is not None])
        set_seed(args.seed)  # TRL 1.14 draws the weights of an adapter before it does this itself
        # TRL's own switch knows no adapters, and misses dropout that layers do without a module for it.
        is_off, args.disable_dropout = args.disable_dropout, False
        with suited_engine(args), server_generation(self, args):
            super().__init__(
                model, rewards, args, train_dataset, eval_dataset, processing_class, reward_processing_classes, **kwargs
            )
        args.disable_dropout = is_off
        if is_off:
            switch_off_dropout(self.model)
        self.group_size: int = args.num_generations
        self.keep: int = args.num_remains_in_group or self.group_size
        self.num_generations = self.keep
        self.on_candidates: Callable[[list[CandidateRecord]], None] | None = None
        """Called on the main process with the records of each generation batch. Set it on every process or on none."""
        self.on_note: Callable[[str], None] = logger.warning
        """Told, in one line, what a user should know of how the run goes."""
        self.sources: Mapping[str, str] = {}
        """Digests of the code and the data of the run by name, which its checkpoints tell."""
        self.card: Callable[[], CardFacts] | None = None
        """What the cards of saved models say; None: what the trainer itself knows."""
        self.objective = self.objective_class()
        self.activity = Activity()
        """What this process of the run is doing at this moment."""
        self._clock = StepClock(self.activity)
        self._processes = Processes(self.accelerator)
        self.stop = Stop(self)
        self.owes_evaluation = False
        """Whether the run was left before the evaluation of its last step."""
        self._sampler = Sampler(self)
        self._check = SamplingCheck(self)
        self._evaluation = EvaluationRows()
        self._loss_figures = LossFigures(self)
        self._rules = self._group_rules()
        self.refill = Refill(self) if args.flat_groups == "refill" else None
        """Gives the places of flat groups to the next prompts, where that is asked for."""
        self._resuming = ResumeCallback(self)
        self.add_callback(self._resuming)

    def _group_rules(self) -> GroupRules:
        return GroupRules(
            group_size=self.group_size,
            keep=self.keep,
            group_filter=self.group_filter,
            reward_names=self.reward_func_names,
            reward_weights=self.reward_weights,
            divisor=self.args.divisor,
            counts_truncated=not self.mask_truncated_completions,
            text_of=partial(self.processing_class.decode, skip_special_tokens=True),
            parses=any(getattr(self._tokenizer, f"response_{one}", None) for one in ("template", "schema")),
            reward_functions=self.reward_funcs,
            races=self.args.race,
            flat_groups=self.args.flat_groups,
            prompts=self.args.generation_batch_size // self.keep,
            by_reward=self.multi_objective_aggregation == "normalize_then_sum",
        )

    @property
    def why_not_fast(self) -> str | None:
        """Why TRL's own path samples, in one line; None where an engine of gpo does."""
        return self._sampler.why_not_fast

    # The course of a run

    def train(self, resume_from_checkpoint: str | bool | None = None, *args: Any, **kwargs: Any) -> TrainOutput:
        return super().train(resumable(self, resume_from_checkpoint), *args, **kwargs)

    def evaluate(self, *args: Any, **kwargs: Any) -> dict[str, float]:
        trains, clock = self.model.training, self._clock  # whose seconds are those of a step
        self._clock = StepClock(self.activity)
        with random_state_kept(self.accelerator.device), self.activity.doing("evaluating", frames=True):
            figures: dict[str, float] = super().evaluate(*args, **kwargs)
        self._clock = clock
        self.model.train(trains)  # a log says which figures it is of by the mode
        return figures

    def _evaluate(self, trial: Any, ignore_keys: Any, skip_scheduler: bool = False) -> dict[str, float]:
        # The scheduler is skipped in the evaluation before the first step alone, which a resumed run has behind it.
        if skip_scheduler and self.state.global_step > 0:
            if not self.owes_evaluation:
                return {}
            skip_scheduler = self.owes_evaluation = False
        self.stop.remember_before_evaluation()
        with self.stop.unchanging():
            return super()._evaluate(trial, ignore_keys, skip_scheduler)  # type: ignore[no-any-return]

    def _maybe_log_save_evaluate(self, *args: Any, **kwargs: Any) -> None:
        super()._maybe_log_save_evaluate(*args, **kwargs)
        self.stop.remember()

    def _finalize_training(self, trial: Any, num_train_samples: Any, start_time: float) -> TrainOutput:
        return super()._finalize_training(trial, num_train_samples, self.began)

    # The rows of a step

    def _get_train_sampler(self, dataset: Any = None) -> EpochRepeatSampler:
        return EpochRepeatSampler(
            data_source=self.train_dataset if dataset is None else dataset,
            mini_repeat_count=self.num_generations,
            batch_size=self.args.generation_batch_size // self.num_generations,
            repeat_count=self.num_iterations * self.args.steps_per_generation,
            shuffle=self.shuffle_dataset,
            seed=self.args.seed,
        )

    def get_eval_dataloader(self, eval_dataset: Any = None) -> Any:
        dataset = self.eval_dataset if eval_dataset is None else eval_dataset
        dataset = self.eval_dataset[dataset] if isinstance(dataset, str) else dataset
        is_sized = isinstance(dataset, Sized)
        self._evaluation = EvaluationRows(len(dataset) * self.num_generations_eval if is_sized else float("inf"))
        return super().get_eval_dataloader(eval_dataset)

    def training_step(self, model: Any, inputs: Any, num_items_in_batch: Any) -> torch.Tensor:
        with self._clock.measure("step", partial(place_of_update, self.args, self.num_iterations, self._step)):
            loss: torch.Tensor = super().training_step(model, inputs, num_items_in_batch)
        if self._step % self.current_gradient_accumulation_steps == 0:
            self._loss_figures.settle(self._metrics["train"])
            append_figures(self._metrics["train"], self._clock.read_and_reset())
        return loss

    def _prepare_inputs(self, generation_batch: Any) -> Any:
        buffered = self._buffered_inputs
        inputs = super()._prepare_inputs(generation_batch)
        if self.model.training and self._buffered_inputs is not None and self._buffered_inputs is not buffered:
            self._buffered_inputs = self._arrange(self._buffered_inputs)
            inputs = self._buffered_inputs[self._step % self.args.steps_per_generation]
        return inputs

    def _arrange(self, micro_batches: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Rearrange a fresh generation batch, cut into micro-batches, before its first use."""
        window = window_of(len(micro_batches), self.args.gradient_accumulation_steps, self._step)
        has_company = depends_on_company(self, micro_batches[0])
        if self._processes.count > 1 and (has_company or window != len(micro_batches)):
            micro_batches = dealt(micro_batches, self._before_shuffle, self._processes)
        if window is not None and len(micro_batches) > 1 and not has_company:
            has_cost = partial(heard_rows, self) if may_leave(self, micro_batches[0]) else None
            micro_batches = ordered_by_length(micro_batches, window, has_cost)
        return self.objective.arranged(self, micro_batches)

    # A generation batch

    def _generate_and_score_completions(self, inputs: list[dict[str, Any]]) -> dict[str, Any]:
        if self.group_filter is not None and ("image" in inputs[0] or "images" in inputs[0]):
            raise SpecError("data with images does not work with a group filter: leave out one of the two")
        if self.args.flat_groups != "train" and ("image" in inputs[0] or "images" in inputs[0]):
            raise SpecError(f"data with images does not work with flat_groups={self.args.flat_groups!r}: use 'train'")
        trains = self.model.training
        self._round = self._opened(inputs)
        unchanging = self.stop.unchanging() if trains else nullcontext()
        figures = taken_back(self._metrics["train" if trains else "eval"], owned_names(self.reward_func_names))
        with unchanging, self.activity.doing("log-probabilities"), figures:
            output: dict[str, Any] = super()._generate_and_score_completions(inputs)
        if not trains:
            self._evaluation.note(self._round.counted())
        else:
            batch = self._round.finish(output)
            candidates = self._round.counted()
            append_figures(self._metrics["train"], self._rules.figures(candidates))
            self._clock.sampled_tokens += sum(candidate.length for candidate in candidates)
            self._check.check(batch, output)
            if self.on_candidates is not None:
                first_row = self.accelerator.process_index * len(batch)
                records = batch.records(self.reward_func_names, self.state.global_step + 1, first_row)
                records = self._processes.objects(records)
                if self.accelerator.is_main_process:
                    self.on_candidates(records)
            self._before_shuffle = torch.get_rng_state()
        return output

    def _opened(self, rows: list[dict[str, Any]]) -> GroupRound:
        return GroupRound(
            self._rules if self.model.training else self._rules.of_evaluation(self.num_generations_eval),
            rows,
            processes=self._processes,
            clock=self._clock,
            trainer_state=self.state,
            is_whole=self._is_whole(),
        )

    def _is_whole(self) -> bool:
        """Whether this generation batch is sampled without a race, which depends on the place in the run alone."""
        batch, every = self._step // (self.args.steps_per_generation * self.num_iterations), int(self.args.whole_every)
        return every > 0 and batch % every == 0

    def _generate(self, prompts: list[Any]) -> tuple[Any, ...]:
        if self.refill is None or not self.model.training:
            return self._sample_round(self._round, prompts)[1]
        self._round, parts = self.refill.generate(self._round, prompts)
        return parts

    def _sample_round(self, opened: GroupRound, prompts: list[Any]) -> tuple[GroupRound, tuple[Any, ...]]:
        """Sample a round and let it choose; what the parent makes of the kept rows."""
        self._round = opened
        drawn = opened.draw(prompts)
        # The parent hands num_generations to vLLM, which samples that many completions for each distinct prompt.
        self.num_generations = self.group_size
        try:
            out = super()._generate(drawn)
        finally:
            self.num_generations = self.keep
        kept = opened.choose(self._sampler.rollout_of(out[1]), out[3], self._score, out[2])
        is_by_row = [isinstance(part, list) and len(part) == len(drawn) for part in out]
        parts = [[part[i] for i in kept] if by_row else part for part, by_row in zip(out, is_by_row, strict=True)]
        return opened, tuple(parts)

    def _generate_single_turn(
        self, prompt_ids: list[list[int]], images: Any, multimodal_fields: Any, num_generations: int, *more: Any
    ) -> tuple[list[list[int]], Any]:
        trl = partial(super()._generate_single_turn, prompt_ids, images, multimodal_fields, num_generations, *more)
        is_text = images is None and not multimodal_fields
        with self._clock.measure("generate"), self.stop.sampling():
            return self._sampler.sample(prompt_ids, num_generations, trl, race=self._round.race, is_text=is_text)

    def _calculate_rewards(
        self, inputs: Sequence[Any], prompts: Sequence[Any], completions: Sequence[Any], completion_ids: Sequence[Any]
    ) -> torch.Tensor:
        return self._round.rewards(inputs, prompts, completions, completion_ids, self._score)

    def _score(
        self, rows: Sequence[Any], prompts: Sequence[Any], completions: Sequence[Any], completion_ids: Sequence[Any]
    ) -> torch.Tensor:
        """The parent's rewards, which are also told which completions ended by themselves."""
        finished = self._sampler.ended(completion_ids)
        rows = [{"finished": flag} | row for row, flag in zip(rows, finished, strict=True)]
        with self._clock.measure("reward"):
            rewards: torch.Tensor = super()._calculate_rewards(rows, prompts, completions, completion_ids)
        rewards[(rewards == SKIPPED).any(1)] = torch.nan  # one reward failed: the others give no advantage either
        return rewards

    # Passes and the loss

    def _get_per_token_logps_and_entropies(self, model: Any, *inputs: Any, **kwargs: Any) -> tuple[Any, ...]:
        parent = super()._get_per_token_logps_and_entropies
        unwrapped = self.accelerator.unwrap_model(model, keep_torch_compile=False)
        if is_text_alone(kwargs):
            if needs_positions(unwrapped):
                # TRL 1.14 with use_liger_kernel reads the layers inside of the model, past all that the model is told.
                parent = getattr(self, "_full_logits_logps", parent)
                model = with_positions(model)
            if self.pad_to_multiple_of is None:
                parent = partial(trimmed_pass, parent, trimmable_sides(unwrapped))
        # The old policy is the one that sampled, without dropout; so is the reference.
        with nullcontext() if torch.is_grad_enabled() else evaluation_mode(unwrapped):
            return self.objective.seen(parent(model, *inputs, **kwargs))

    def _compute_loss(self, model: Any, inputs: dict[str, Any]) -> torch.Tensor:
        passed, weighing = without_silent(self, inputs)
        parent = partial(super()._compute_loss, model)
        with weighing:
            loss = self.objective.loss(self, parent, passed)
        self._loss_figures.note(inputs, passed)
        return loss

    # Figures and checkpoints

    def log(self, logs: dict[str, float], start_time: float | None = None) -> None:
        if not self.model.training:
            self._evaluation.write(self._metrics["eval"], self.num_generations_eval, self.reward_func_names)
            self._evaluation = EvaluationRows()
            self._loss_figures.settle(self._metrics["eval"])
        super().log(logs, start_time)

    def create_model_card(
        self, model_name: str | None = None, dataset_name: str | None = None, tags: str | list[str] | None = None
    ) -> None:
        if self.is_world_process_zero():
            tags = [tags] if isinstance(tags, str) else tags or []
            write_card(self, Path(self.args.output_dir), model_name, dataset_name, tags)

    def _save(self, output_dir: str | None = None, state_dict: Any = None) -> None:
        super()._save(output_dir, state_dict)
        if self.args.should_save:
            write_card(self, Path(output_dir or self.args.output_dir))

    def save_model(self, output_dir: str | None = None, _internal_call: bool = False) -> None:
        super().save_model(output_dir, _internal_call)
        if not _internal_call:  # a checkpoint keeps all that its run needs
            remove_reference(self, Path(output_dir or self.args.output_dir))

    def _save_checkpoint(self, model: Any, trial: Any) -> None:
        parent = partial(super()._save_checkpoint, model, trial)
        if self.args.save_only_model:  # which nobody can resume from
            parent()
        else:
            folder = f"{PREFIX_CHECKPOINT_DIR}-{self.state.global_step}"
            with self.activity.doing("saving", lambda: folder):
                save_whole(self, Path(self._get_output_dir(trial=trial)) / folder, parent)

    def _load_optimizer_and_scheduler(self, checkpoint: str | None) -> None:
        super()._load_optimizer_and_scheduler(checkpoint)
        if checkpoint is not None:
            self._resuming.resumed = load_state(self, Path(checkpoint))


def default_output_dir(model: Any, algorithm: str) -> str:
    """`Qwen3-0.6B-GFPO` for the model `Qwen/Qwen3-0.6B`, as TRL names it."""
    model_id = model if isinstance(model, str) else get_config_model_id(model.config)
    return f"{model_id.split('/')[-1]}-{algorithm}"
