"""The trainer of a run, built from what the preflight found. Imports torch."""

import os
from collections.abc import Callable
from pathlib import Path
from traceback import walk_tb

from safetensors import SafetensorError

from gpocli.checks.preflight import Preflight
from gpocli.contracts.reward import checked_rewards
from gpocli.contracts.reward_call import RewardRules
from gpocli.data import Rows
from gpocli.data.load import require_generation_batch
from gpocli.data.prompt_lengths import fit_prompts, prompt_limit
from gpocli.data.token_counts import TokenCounts, count_tokens
from gpocli.errors import SpecError
from gpocli.policy.load import Policy, cannot_load, find_policy, trainer_arguments
from gpocli.policy.sound import refuse_appended_end, require_embedded, require_finite
from gpocli.policy.whole_weights import whole_weights
from gpocli.spec import RunSpec
from gpocli.spec.trl_config import trainer_options
from gpocli.trainers.trainer import GroupTrainer
from gpocli.training.company import place_of
from gpocli.training.config import device_type, named, of_processes, refused_options
from gpocli.training.dataset import to_dataset
from gpocli.training.group import open_group
from gpocli.training.rehearsal import Rehearsal, require_no_problems
from gpocli.training.reward_models import with_models
from gpocli.training.sharding import asked_for, refuse_another_kind, require_packages, save_whole_weights


def assemble(ready: Preflight, output_dir: Path, *, note: Callable[[str], None]) -> GroupTrainer:
    """Load tokenizer and model and build the trainer; `note` is told what the user should know.

    Raises `SpecError` for a prompt or option that does not fit the model, `EnvironmentFault` for what cannot be had.
    """
    spec = ready.spec
    policy = find_policy(spec.model)
    rows = _fitting(ready.rows, policy, spec, note)
    require_generation_batch(rows, ready.plan.prompts_per_generation)
    eval_rows = None if ready.eval_rows is None else _fitting(ready.eval_rows, policy, spec, note)
    count = place_of(os.environ)[1]
    options = of_processes(trainer_options(spec, ready.plan, output_dir, device_type()), count)
    asked = asked_for(options, os.environ)  # before accelerate changes what stands there
    require_packages(asked)
    with refused_options():
        args = named(spec.extension.config)(**open_group(options, count, asked))
    if not asked:
        require_no_problems(Rehearsal(spec, policy, args).problems())
    functions, tokenizers = with_models(ready.rewards)
    rewards = checked_rewards(
        functions,
        [reward.name for reward in ready.rewards],
        [RewardRules(one.seconds, one.on_error) for one in spec.rewards],
        note,
    )
    try:
        with whole_weights(spec.model.name):
            trainer: GroupTrainer = named(spec.extension.trainer)(
                **trainer_arguments(policy, spec.model, args),
                reward_funcs=rewards,
                reward_processing_classes=tokenizers,
                args=args,
                train_dataset=to_dataset(rows),
                eval_dataset=None if eval_rows is None else to_dataset(eval_rows),
                processing_class=policy.tokenizer,
                group_filter_func=ready.group_filter,
            )
    except (OSError, RuntimeError, SafetensorError) as error:
        if not _is_of_the_model(error):
            raise
        raise cannot_load(spec.model, error) from error
    refuse_another_kind(asked, trainer.accelerator.distributed_type.name)
    save_whole_weights(trainer.accelerator)
    require_finite(spec.model.name, trainer.model.named_parameters())
    _refuse_frozen(trainer)
    if policy.use_cache is not None and "use_cache" not in spec.trl:
        trainer.model.config.use_cache = policy.use_cache  # which is saved with the model, and no pass of TRL's reads
    if trainer.why_not_fast is not None and spec.sampling.engine == "auto":
        note(f"sampling with TRL's own path: {trainer.why_not_fast}")
    return trainer


def _is_of_the_model(error: Exception) -> bool:
    """Whether a model could not be read: the trainer asks disks, hubs and devices for other things, too."""
    is_mismatch = "size" in str(error) and "mismatch" in str(error)
    if isinstance(error, RuntimeError) and not is_mismatch:
        return False
    return any(frame.f_code.co_name == "from_pretrained" for frame, _ in walk_tb(error.__traceback__))


def _fitting(rows: Rows, policy: Policy, spec: RunSpec, note: Callable[[str], None]) -> Rows:
    limit, _ = prompt_limit(spec.data.max_prompt_tokens, policy.context, spec.sampling.max_tokens)

    def look(some: Rows, ids: list[list[int]]) -> None:
        require_embedded(spec.model.name, policy.tokenizer, some, ids, policy.rows)

    def count(some: Rows) -> TokenCounts:
        return count_tokens(some, policy.tokenizer, spec.trl.get("chat_template_kwargs"), limit=limit, look=look)

    if isinstance(rows[0]["prompt"], str):
        refuse_appended_end(spec.model.name, policy.tokenizer)

    fitting = fit_prompts(
        rows,
        count(rows),
        max_prompt_tokens=spec.data.max_prompt_tokens,
        context=policy.context,
        max_new_tokens=spec.sampling.max_tokens,
        overlong=spec.data.overlong,
        count=count,
    )
    for remark in fitting.notes[len(rows.notes) :]:
        note(remark)
    return fitting


def _refuse_frozen(trainer: GroupTrainer) -> None:
    if not any(parameter.requires_grad for parameter in trainer.model.parameters()):
        raise SpecError(
            "no parameter of the model is trainable, so nothing would be learned; add model.lora, or unfreeze it"
        )
