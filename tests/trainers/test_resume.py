"""A resumed run is the run it would have been."""

import pytest
import torch
from transformers import AutoModelForCausalLM

from gpocli import GFPOTrainer
from tests.trainers.closeness import gap
from tests.trainers.conftest import length_filter


def count_letters(completions, **kwargs):
    return [float(sum(c.isalpha() for c in completion)) for completion in completions]


def flat(model):
    return torch.cat([parameter.detach().flatten() for parameter in model.parameters()])


OPTIONS = {
    "max_steps": 6,
    "save_strategy": "steps",
    "save_steps": 3,
    "rewards": count_letters,
    "rollout": "race",
    "gradient_accumulation_steps": 1,
}


@pytest.mark.parametrize(
    "windows",
    [
        {},
        {"steps_per_generation": 2},  # step 3 lies in the middle of a generation batch
        {"steps_per_generation": 2, "num_iterations": 2},
        {"per_device_train_batch_size": 8},  # two steps an epoch: step 3 lies in the second
    ],
    ids=["aligned", "mid-window", "mid-window-reused", "second-epoch"],
)
def test_stop_at_three_and_resume_to_six_is_straight_six(gfpo, tmp_path, windows):
    straight, resumed = [], []
    trainer = gfpo(**OPTIONS, **windows)
    trainer.on_candidates = straight.extend
    start = flat(trainer.model)
    trainer.train()

    again: GFPOTrainer = gfpo(**OPTIONS, **windows)
    again.on_candidates = resumed.extend
    again.train(resume_from_checkpoint=str(tmp_path / "out" / "checkpoint-3"))

    assert gap(flat(again.model), flat(trainer.model), start) < 0.01  # AdamW blows up what float32 rounds
    assert resumed == [record for record in straight if record.step > 3]
    assert [entry["step"] for entry in again.state.log_history if "loss" in entry] == [1, 2, 3, 4, 5, 6]


def test_the_saved_model_loads(gfpo, tmp_path):
    trainer = gfpo(max_steps=1)
    trainer.train()
    trainer.save_model(str(tmp_path / "final"))
    loaded = AutoModelForCausalLM.from_pretrained(tmp_path / "final")
    assert (flat(loaded) - flat(trainer.model)).abs().max() == 0.0


def test_an_adaptive_filter_goes_on_with_what_it_had_seen(gfpo, tmp_path):
    class Counting:
        """Keeps all while it has seen fewer than two batches."""

        def __init__(self):
            self.batches = 0

        def __call__(self, group_completions, group_rewards, **kwargs):
            return length_filter(group_completions, group_rewards, kwargs["completion_ids"])

        def keep_counts(self, keep, group_rewards, all_mean_rewards):
            self.batches += 1
            return [keep if self.batches < 2 else keep - 1 for _ in group_rewards]

        def state_dict(self):
            return {"batches": self.batches}

        def load_state_dict(self, state):
            self.batches = state["batches"]

    options = {**OPTIONS, "num_remains_in_group": 4, "rollout": "generate", "group_filter_func": Counting()}
    gfpo(**options).train()
    counting = Counting()
    gfpo(**{**options, "group_filter_func": counting}).train(
        resume_from_checkpoint=str(tmp_path / "out" / "checkpoint-3")
    )
    assert counting.batches == 6
