"""Trains GFPO or GMPO for two steps under any launcher, and leaves what happened: `run_layout.py MODEL OUT JSON`."""

import json
import os
import sys
from dataclasses import asdict
from pathlib import Path

import torch
from datasets import Dataset

from gpocli import GFPOConfig, GFPOTrainer, GMPOConfig, GMPOTrainer


def count_letters(completions, number, **kwargs):
    return [float(sum(c.isalpha() for c in text)) + n for text, n in zip(completions, number, strict=True)]


class Shortest:
    needs_rewards = False

    def __call__(self, group_completions, group_rewards, completion_lengths):
        return [[-float(length) for length in group] for group in completion_lengths]

    def score_bound(self, length):
        return -(length + 1.0)


class ShortestAfterLooking(Shortest):
    needs_rewards = True
    score_bound = None


def main(model, out, options):
    options = json.loads(options)
    is_gmpo, flat = options.pop("gmpo", False), options.pop("flat", False)
    filters = {"race": Shortest(), "rewards": ShortestAfterLooking(), "none": None}
    group_filter = filters[options.pop("filter")]
    trainer_class, config_class = (GMPOTrainer, GMPOConfig) if is_gmpo else (GFPOTrainer, GFPOConfig)
    config = config_class(
        output_dir=str(Path(out) / "trainer"),
        max_completion_length=12,
        max_steps=2,
        learning_rate=0.01,
        optim="sgd",
        max_grad_norm=0.0,
        report_to="none",
        save_strategy="no",
        logging_steps=1,
        disable_tqdm=True,
        use_cpu=True,
        bf16=False,
        gradient_checkpointing=False,
        ddp_backend="gloo" if "WORLD_SIZE" in os.environ else None,
        seed=3,
        **options,
    )
    trainer = trainer_class(
        model=model,
        reward_funcs=(lambda completions, number, **kwargs: [float(n) for n in number]) if flat else count_letters,
        args=config,
        eval_dataset=Dataset.from_dict({"prompt": [f"say {i}" for i in range(5)], "number": list(range(5))}),
        train_dataset=Dataset.from_dict({"prompt": [f"say {i}" for i in range(8)], "number": list(range(8))}),
        group_filter_func=group_filter,
    )
    records = []
    trainer.on_candidates = records.extend
    trainer.train()
    evaluation = trainer.evaluate() if flat else None
    if trainer.accelerator.is_main_process:
        (Path(out) / "records.json").write_text(json.dumps([asdict(record) for record in records]))
        (Path(out) / "evaluation.json").write_text(json.dumps(evaluation))
        (Path(out) / "log.json").write_text(json.dumps(trainer.state.log_history))
        torch.save(trainer.accelerator.unwrap_model(trainer.model).state_dict(), Path(out) / "weights.pt")
    trainer.accelerator.wait_for_everyone()
    trainer.accelerator.end_training()


if __name__ == "__main__":
    main(*sys.argv[1:])
