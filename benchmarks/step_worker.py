"""Times training steps of one library: `step_worker.py JSON` prints one JSON object. Runs in any environment."""

import json
import os
import resource
import statistics
import sys
import tempfile
import time

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"
os.environ["TRL_EXPERIMENTAL_SILENCE"] = "1"
os.environ["TOKENIZERS_PARALLELISM"] = "false"

import torch
import transformers
from datasets import Dataset
from transformers import TrainerCallback

transformers.utils.logging.set_verbosity_error()
transformers.utils.logging.disable_progress_bar()


class Stopwatch(TrainerCallback):
    """Seconds of each optimizer step, from its first micro-batch to its weights."""

    def __init__(self):
        self.seconds = []

    def on_step_begin(self, *args, **kwargs):
        self.started = time.perf_counter()

    def on_step_end(self, *args, **kwargs):
        self.seconds.append(time.perf_counter() - self.started)


def a_reward(completion_ids, **kwargs):
    return [float(len(ids) % 7) for ids in completion_ids]


class ShortestByWords:
    """The length filter for TRL's GFPO, whose filters see texts only."""

    def __call__(self, group_completions, group_rewards, **kwargs):
        return [[-float(len(completion)) for completion in group] for group in group_completions]


def classes(library, algorithm):
    """The trainer and config class, and the keyword arguments of a filter."""
    if library == "gpo":
        from gpocli import GFPOConfig, GFPOTrainer, GMPOConfig, GMPOTrainer
        from gpocli.builtin.filters.length import Length

        if algorithm == "gmpo":
            return GMPOTrainer, GMPOConfig, {}
        return GFPOTrainer, GFPOConfig, {"group_filter_func": Length()} if algorithm == "gfpo" else {}
    if algorithm == "gfpo":
        from trl.experimental.gfpo import GFPOConfig, GFPOTrainer

        return GFPOTrainer, GFPOConfig, {"group_filter_func": ShortestByWords()}
    if algorithm == "gmpo":
        from trl.experimental.gmpo import GMPOConfig, GMPOTrainer

        return GMPOTrainer, GMPOConfig, {}
    from trl import GRPOConfig, GRPOTrainer

    return GRPOTrainer, GRPOConfig, {}


def batch_options(library, algorithm, prompts, group_size, keep, micro_batch, updates):
    """The same rows in each micro-batch: TRL's GFPO counts them before filtering, gpo after."""
    rows = prompts * keep
    accumulation = rows // micro_batch
    counted = group_size if library == "trl" and algorithm == "gfpo" else keep
    options = {
        "per_device_train_batch_size": micro_batch * counted // keep,
        "gradient_accumulation_steps": accumulation // updates,
        "steps_per_generation": accumulation,
        "num_generations": group_size,
    }
    return options | ({"num_remains_in_group": keep} if algorithm == "gfpo" else {})


def main(task):
    torch.set_num_threads(task["threads"])
    library, algorithm = task["library"], task["algorithm"]
    trainer_class, config_class, extra = classes(library, algorithm)
    options = batch_options(
        library, algorithm, task["prompts"], task["group_size"], task["keep"], task["micro_batch"], task["updates"]
    )
    if library == "gpo":
        options["whole_every"] = 0  # no step is one without a race
    if library == "gpo" and not task.get("race", True):
        extra["group_filter_func"].score_bound = None  # all candidates are generated to their end
    config = config_class(
        output_dir=tempfile.mkdtemp(),
        max_completion_length=task["limit"],
        learning_rate=1e-12,  # the policy, and with it the work, stays the same
        beta=task["beta"],
        max_steps=task["steps"],
        logging_steps=1,
        save_strategy="no",
        report_to="none",
        disable_tqdm=True,
        use_cpu=True,
        bf16=False,
        gradient_checkpointing=False,
        seed=task["seed"],
        **options,
        **({"use_vllm": True, "vllm_mode": "colocate"} if task.get("vllm") else {}),
    )
    stopwatch = Stopwatch()
    trainer = trainer_class(
        model=task["model"],
        reward_funcs=a_reward,
        args=config,
        train_dataset=Dataset.from_dict({"prompt": task["texts"]}),
        callbacks=[stopwatch],
        **extra,
    )
    trainer.remove_callback(transformers.PrinterCallback)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    trainer.train()
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    log = [entry for entry in trainer.state.log_history if "reward" in entry]
    # After a race the mean is over what candidates had when they were lost.
    lengths = [entry.get("completions/mean_length_at_least", entry.get("completions/mean_length")) for entry in log]
    warm = stopwatch.seconds[task["warmup"] :]
    return {
        "seconds": warm,
        # A generation batch feeds `updates` steps; its time is theirs together.
        "median": statistics.median(
            sum(warm[i : i + task["updates"]]) for i in range(0, len(warm) - task["updates"] + 1, task["updates"])
        ),
        "mean_length": statistics.mean(lengths),
        # Tokens of all candidates of a step; those that lost count as far as they came.
        "tokens": statistics.mean(lengths) * task["prompts"] * task["group_size"],
        "memory_mb": after / 1024,
        "memory_before_mb": before / 1024,
    }


if __name__ == "__main__":
    print(json.dumps(main(json.loads(sys.argv[1]))))
