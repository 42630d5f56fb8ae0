"""Options under trl: without effect, harmful, or sizes that do not divide."""

import pytest

from gpocli.checks.trl import check_trl


def test_an_option_without_effect_is_told_with_the_reason(found_by):
    (line,) = found_by(check_trl, "algorithm: {type: gmpo}\ntrl: {label_smoothing_factor: 0.1}\n", 1)
    assert line.startswith("run.yaml:2:7: trl.label_smoothing_factor: has no effect under gmpo (")
    assert line.endswith("); remove it")


def test_data_columns_are_not_taken_from_rewards(found_by):
    assert found_by(check_trl, "trl: {remove_unused_columns: true}\n", 1) == [
        "run.yaml:1:7: trl.remove_unused_columns: true takes the data columns away from rewards; remove it"
    ]
    assert found_by(check_trl, "trl: {remove_unused_columns: false}\n", 1) == []


@pytest.mark.parametrize(
    ("trl", "processes", "cure"),
    [
        ("num_generations_eval: 4", 1, None),
        ("num_generations_eval: 3", 3, None),
        ("num_generations_eval: 5", 2, "trl.num_generations_eval: an evaluation batch of 64 x 2 processes = 128"),
        ("num_generations_eval: 2, per_device_eval_batch_size: 3", 1, "write trl.per_device_eval_batch_size: 2 or 4"),
        ("num_generations_eval: 8, per_device_eval_batch_size: 4", 1, "write trl.per_device_eval_batch_size: 8"),
    ],
)
def test_evaluation_batches_hold_whole_groups(look, trl, processes, cure):
    lines = look(f"run: {{eval_every: 1}}\nbatch: {{prompts_per_step: 6}}\ntrl: {{{trl}}}\n", processes=processes)
    assert len(lines) == (cure is not None)
    assert cure is None or cure in lines[0]


def test_without_evaluation_its_batches_do_not_matter(look):
    assert look("trl: {num_generations_eval: 3}\n") == []
