"""A script for TRL's GFPO trainer; only the import is another."""

from datasets import Dataset

from gpocli import GFPOConfig, GFPOTrainer
from gpocli.embedded import MODEL_PATH

dataset = Dataset.from_dict({"prompt": [f"{a}+{b}=?" for a in range(10, 18) for b in range(100, 108)]})


def reward_num_unique_chars(completions, **kwargs):
    return [float(len(set(completion))) for completion in completions]


class GroupFilter:
    def __call__(self, group_completions, group_rewards, **kwargs):
        return [[-float(len(completion)) for completion in completions] for completions in group_completions]


trainer = GFPOTrainer(
    model=str(MODEL_PATH),
    reward_funcs=reward_num_unique_chars,
    args=GFPOConfig(
        output_dir="gfpo-out",
        per_device_train_batch_size=8,
        num_generations=8,
        num_remains_in_group=4,
        max_completion_length=128,
        max_steps=2,
        logging_steps=1,
        report_to="none",
        bf16=False,
    ),
    train_dataset=dataset,
    group_filter_func=GroupFilter(),
)
trainer.train()
