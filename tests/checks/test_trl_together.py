"""Settings that are refused together."""

import pytest

from gpocli.checks.trl_together import check_together

SYNC = "trl: {sync_ref_model: true}"


@pytest.mark.parametrize(
    ("text", "path", "words"),
    [
        (f"{SYNC}\nalgorithm: {{beta: 0}}", "trl.sync_ref_model", "no reference model with algorithm.beta: 0"),
        (f"{SYNC}\nmodel: {{lora: {{rank: 4}}}}", "trl.sync_ref_model", "remove it, or model.lora"),
        ("sampling: {temperature: 1.0e-6}", "sampling.temperature", "greedy is not a policy"),
        ("trl: {eval_on_start: true}", "trl.eval_on_start", "write run.eval_every as well"),
        ("trl: {fp16_full_eval: true, bf16_full_eval: true}", "trl.fp16_full_eval", "are both true"),
        ("trl: {fp16: true, bf16: true}", "trl.fp16", "are both true"),
        ("trl: {dataloader_prefetch_factor: 2}", "trl.dataloader_prefetch_factor", "write trl.dataloader_num_workers"),
        ("optim: {schedule: cosine_with_min_lr}", "optim.schedule", "lr_scheduler_kwargs: {min_lr_rate: 0.1}"),
        ("optim: {schedule: warmup_stable_decay}", "optim.schedule", "{num_decay_steps: 10}"),
        ("trl: {torch_compile: false, torch_compile_mode: default}", "trl.torch_compile_mode", "remove one of the two"),
        ("trl: {use_adaptive_entropy: true, entropy_coef_min: 2}", "trl.entropy_coef_min", "above entropy_coef_max, 1"),
        ("trl: {cache_implementation: static}\nsampling: {engine: race}", "trl.cache_implementation", "engine: auto"),
        ("trl: {auto_find_batch_size: true}", "trl.auto_find_batch_size", "write a smaller batch.micro_batch"),
        ("trl: {resume_from_checkpoint: a}", "trl.resume_from_checkpoint", "gpo train --resume --out DIRECTORY"),
        ("trl: {log_completions_hub_repo: a/b}", "trl.log_completions_hub_repo", "trl.log_completions: true"),
        ("trl: {liger_kernel_config: {fused_linear_cross_entropy: true}}", "trl.liger_kernel_config", "remove it"),
        ("trl: {parallelism_config: {cp_size: 2}}", "trl.parallelism_config", "use accelerate launch"),
        ("sampling: {engine: vllm}\ntrl: {vllm_importance_sampling_clip_min: 3}",
         "trl.vllm_importance_sampling_clip_min", "not below the upper clip of 3"),
    ],
)  # fmt: skip
def test_what_does_not_go_together_is_told(found_by, text, path, words):
    (line,) = found_by(check_together, f"{text}\n")
    assert line.split(": ")[1] == path
    assert words in line


BEST = "trl: {load_best_model_at_end: true, metric_for_best_model: reward}\n"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (f"{BEST}run: {{save_every: 2}}", "write run.eval_every as well"),
        (f"{BEST}run: {{eval_every: 2}}", "write a run.save_every that is a multiple of 2"),
        (f"{BEST}run: {{eval_every: 2, save_every: 3}}", "write a run.save_every that is a multiple of 2"),
        ("trl: {load_best_model_at_end: true}\nrun: {eval_every: 2, save_every: 4}", "the best by what?"),
        (f"{BEST}run: {{eval_every: 2, save_every: 4}}", None),
    ],
)
def test_the_best_model_is_one_that_was_evaluated_and_saved(found_by, text, words):
    lines = found_by(check_together, f"{text}\n")
    assert [words is not None and words in line for line in lines] == [True] * (words is not None)


def test_what_is_not_sound_is_not_read(found_by):
    lines = found_by(check_together, f"{SYNC}\nalgorithm: {{beta: much}}\n")
    assert [line.split(": ")[1] for line in lines] == ["algorithm.beta"]


def test_sync_goes_with_a_reference(found_by):
    assert found_by(check_together, f"{SYNC}\nalgorithm: {{beta: 0.04}}\n") == []
