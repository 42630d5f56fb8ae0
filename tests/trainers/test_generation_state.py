"""The state that a checkpoint holds for the middle of a generation batch."""

import torch

from gpocli.trainers.generation_state import load_generation_state, save_generation_state

CPU = torch.device("cpu", 0)  # as accelerate calls it with several processes


def test_each_process_finds_its_own_state(tmp_path):
    for process in (0, 1):
        state = {"micro_step": process, "buffered_inputs": [{"x": torch.arange(3)}], "filter": {"seen": [0.5]}}
        save_generation_state(tmp_path / "checkpoint-1", process, state)
    found = load_generation_state(tmp_path / "checkpoint-1", 1, CPU)
    assert (found["micro_step"], found["filter"]) == (1, {"seen": [0.5]})
    assert found["buffered_inputs"][0]["x"].tolist() == [0, 1, 2]


def test_a_checkpoint_of_trl_has_none(tmp_path):
    assert load_generation_state(tmp_path, 0, CPU) is None
