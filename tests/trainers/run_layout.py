"""Trains runs one after another under any launcher, and leaves what happened: `run_layout.py MODEL OUT JSON`.

JSON is a dict of runs by name, each a dict of options of the trainer's config and of `train`.
"""

import json
import os
import sys
from dataclasses import asdict
from pathlib import Path

import torch
from datasets import Dataset
from peft import LoraConfig

from gpocli import GFPOConfig, GFPOTrainer, GMPOConfig, GMPOTrainer
from gpocli.builtin.filters import adaptive_difficulty, correct, random

PROCESSES = int(os.environ.get("WORLD_SIZE", "1"))
ROWS = 8
"""Rows of an update, over all micro-batches and processes."""


def count_letters(completions, number, **kwargs):
    return [float(sum(c.isalpha() for c in text)) + n for text, n in zip(completions, number, strict=True)]


count_letters.reward_bound = lambda length: float("inf")


def give_the_number(completions, number, **kwargs):
    return [float(n) for n in number]


def count_letters_of_odd_numbers(completions, number, **kwargs):
    return [n % 2 * letters for n, letters in zip(number, count_letters(completions, number), strict=True)]


class Shortest:
    needs_rewards = False

    def __call__(self, group_completions, group_rewards, completion_lengths):
        return [[-float(length) for length in group] for group in completion_lengths]

    def score_bound(self, length):
        return -(length + 1.0)


class ShortestAfterLooking(Shortest):
    needs_rewards = True
    score_bound = None


class Thinned(ShortestAfterLooking):
    """Keeps k, one less or two less of a group, as the prompt's number says."""

    def keep_counts(self, keep, group_rewards, number):
        return [keep - group[0] % 3 for group in number]


def adaptive():
    """From the first group on one of an easy group, two of others; of two groups alone none is easy."""
    options = adaptive_difficulty.AdaptiveDifficultyOptions(keep=(2, 2, 2, 1), warmup=0)
    return adaptive_difficulty.AdaptiveDifficulty(options)


FILTERS = {
    "race": Shortest,
    "rewards": ShortestAfterLooking,
    "thinned": Thinned,
    "adaptive": adaptive,
    "correct": lambda: [correct.Correct(correct.CorrectOptions(threshold=4.0)), Shortest()],
    "random": lambda: random.RandomFilter(random.RandomOptions()),
    "none": lambda: None,
}


def train(
    model,
    out,
    *,
    filter="none",
    gmpo=False,
    flat=False,
    odd=False,
    lora=None,
    updates=1,
    micro_batch=ROWS // PROCESSES,
    **options,
):
    """One run, of an adapter of rank `lora` where there is one.

    A generation batch serves `updates` updates, and the rows of each come in micro-batches.
    """
    trainer_class, config_class = (GMPOTrainer, GMPOConfig) if gmpo else (GFPOTrainer, GFPOConfig)
    accumulation = max(1, ROWS // PROCESSES // micro_batch) if not flat else 1
    config = config_class(
        output_dir=str(out / "trainer"),
        per_device_train_batch_size=micro_batch,
        gradient_accumulation_steps=accumulation,
        steps_per_generation=accumulation * updates,
        max_completion_length=options.pop("max_completion_length", 12),
        max_steps=2 * updates,
        learning_rate=0.01,
        optim="sgd",
        max_grad_norm=1e6,  # so that the norm is logged
        report_to="none",
        save_strategy="no",
        logging_steps=1,
        disable_tqdm=True,
        use_cpu=True,
        bf16=False,
        gradient_checkpointing=False,
        ddp_backend="gloo" if PROCESSES > 1 else None,
        seed=3,
        **options,
    )
    trainer = trainer_class(
        model=model,
        reward_funcs=give_the_number if flat else count_letters_of_odd_numbers if odd else count_letters,
        args=config,
        eval_dataset=Dataset.from_dict({"prompt": [f"say {i}" for i in range(5)], "number": list(range(5))}),
        train_dataset=Dataset.from_dict(
            {"prompt": [f"say {chr(97 + i) * i}" for i in range(8)], "number": list(range(8))}
        ),
        group_filter_func=FILTERS[filter](),
        peft_config=lora and LoraConfig(r=lora, target_modules="all-linear", init_lora_weights=False),
    )
    records = []
    trainer.on_candidates = records.extend
    trainer.train()
    evaluation = trainer.evaluate() if flat else None
    if trainer.accelerator.is_main_process:
        (out / "records.json").write_text(json.dumps([asdict(record) for record in records]))
        (out / "evaluation.json").write_text(json.dumps(evaluation))
        (out / "log.json").write_text(json.dumps(trainer.state.log_history))
        torch.save(trainer.accelerator.unwrap_model(trainer.model).state_dict(), out / "weights.pt")
    trainer.accelerator.wait_for_everyone()
    return trainer


def main(model, out, runs):
    for name, options in json.loads(runs).items():
        folder = Path(out) / name
        folder.mkdir(exist_ok=True)
        trainer = train(model, folder, **options)
    trainer.accelerator.end_training()
    # Threads of gloo that outlive several trainers of one process may abort it while Python is taken down.
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:])
