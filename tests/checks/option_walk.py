"""One good and one bad value of every option of TRL that works with gpo, as a user would write it.

A value alone is that of the option where a spec has it: at the setting that owns it, or under `trl`. `A=1 & B=2` are
settings in full.
"""

from gpocli.algorithms.grpo import EXTENSION as GRPO
from gpocli.settings.setting import declared
from gpocli.spec.algorithms import algorithms
from gpocli.spec.run_spec import RunSpec

BASE = [
    "run.steps=1",
    "algorithm.group_size=4",
    "algorithm.keep=2",
    "batch.prompts_per_step=2",
    "batch.micro_batch=4",
    "sampling.max_tokens=8",
]
"""The smallest run of the embedded model."""

EVAL = "run.eval_every=1 & data.eval_limit=4 & "
VLLM = "sampling.engine=vllm & "
SAPO = "algorithm.type=grpo & algorithm.loss_type=sapo & "
VESPO = "algorithm.type=grpo & algorithm.loss_type=vespo & "
GRADIENTS = "optim.gradient_checkpointing=true & "
BEST = f"{EVAL}run.save_every=1 & trl.metric_for_best_model=reward & "

MAYBE = ("true", "maybe")
"""Of a truth value."""

WALK: dict[str, tuple[str, str]] = {
    # model
    "model_init_kwargs": ("{low_cpu_mem_usage: true}", "{foo: 1}"),
    "trust_remote_code": MAYBE,
    "router_aux_loss_coef": ("0", "0.1"),
    "disable_dropout": ("false", "maybe"),
    "cast_lm_head_to_fp32": MAYBE,
    "ds3_gather_for_generation": ("false", "maybe"),
    "chat_template_kwargs": ("{enable_thinking: false}", "text"),
    "use_cache": ("false", "maybe"),
    # groups and batches
    "num_generations": ("4", "1"),
    "num_generations_eval": (f"{EVAL}trl.num_generations_eval=2", f"{EVAL}trl.num_generations_eval=3"),
    "generation_batch_size": ("batch.updates_per_generation=2", "batch.updates_per_generation=0"),
    "steps_per_generation": ("batch.updates_per_generation=2", "2"),
    "num_iterations": ("2", "0"),
    "per_device_train_batch_size": ("batch.micro_batch=2", "batch.micro_batch=3"),
    "per_device_eval_batch_size": (f"{EVAL}trl.per_device_eval_batch_size=2", "0"),
    "gradient_accumulation_steps": ("batch.micro_batch=2", "batch.micro_batch=0"),
    "auto_find_batch_size": ("false", "true"),
    # sampling
    "max_completion_length": ("4", "0"),
    "temperature": ("0.8", "1e-6"),
    "top_p": ("0.9", "2"),
    "top_k": ("5", "-1"),
    "min_p": ("0.1", "2"),
    "repetition_penalty": ("1.1", "0"),
    "generation_kwargs": ("{typical_p: 0.9}", "{typical: 0.9}"),
    "cache_implementation": ("dynamic", "dinamic"),
    "pad_to_multiple_of": ("8", "eight"),
    "use_transformers_continuous_batching": ("sampling.engine=race", "sampling.engine=continuos"),
    "transformers_continuous_batching_config": ("{max_memory_percent: 0.4}", "{memory: 0.4}"),
    "use_transformers_paged": ("sampling.engine=generate", "trl.use_transformers_paged=true"),
    "use_vllm": ("sampling.engine=auto", "trl.use_vllm=true"),
    "vllm_mode": ("sampling.vllm=null", "trl.vllm_mode=server"),
    "vllm_model_impl": (f"{VLLM}trl.vllm_model_impl=vllm", f"{VLLM}trl.vllm_model_impl=llama"),
    "vllm_enable_sleep_mode": (f"{VLLM}trl.vllm_enable_sleep_mode=true", f"{VLLM}trl.vllm_enable_sleep_mode=2"),
    "vllm_structured_outputs_regex": (
        f"{VLLM}trl.vllm_structured_outputs_regex='a+'", f"{VLLM}trl.vllm_structured_outputs_regex=1",
    ),
    "vllm_server_base_url": (f"{VLLM}sampling.vllm.url=http://a:1", f"{VLLM}sampling.vllm.url=a"),
    "vllm_server_host": (f"{VLLM}sampling.vllm.url=http://a:1", "trl.vllm_server_host=a"),
    "vllm_server_port": (f"{VLLM}sampling.vllm.url=http://a:1", "trl.vllm_server_port=1"),
    "vllm_server_timeout": (f"{VLLM}sampling.vllm.wait=9", f"{VLLM}sampling.vllm.wait=-1"),
    "vllm_group_port": (f"{VLLM}trl.vllm_group_port=5000", f"{VLLM}trl.vllm_group_port=99999"),
    "vllm_gpu_memory_utilization": (
        f"{VLLM}trl.vllm_gpu_memory_utilization=0.5", f"{VLLM}trl.vllm_gpu_memory_utilization=50",
    ),
    "vllm_max_model_length": (f"{VLLM}trl.vllm_max_model_length=64", f"{VLLM}trl.vllm_max_model_length=0"),
    "vllm_tensor_parallel_size": (f"{VLLM}trl.vllm_tensor_parallel_size=1", f"{VLLM}trl.vllm_tensor_parallel_size=0"),
    "max_tool_calling_iterations": ("3", "-1"),
    # loss
    "beta": ("0.01", "-1"),
    "epsilon": ("0.3", "0"),
    "epsilon_high": ("0.3", "0"),
    "delta": ("2", "-1"),
    "loss_type": ("algorithm.type=grpo & algorithm.loss_type=dr_grpo", "trl.loss_type=dr_grpo"),
    "importance_sampling_level": ("sequence", "word"),
    "sapo_temperature_neg": (f"{SAPO}trl.sapo_temperature_neg=1.1", f"{SAPO}trl.sapo_temperature_neg=0"),
    "sapo_temperature_pos": (f"{SAPO}trl.sapo_temperature_pos=1.1", f"{SAPO}trl.sapo_temperature_pos=-1"),
    "vespo_k_pos": (f"{VESPO}trl.vespo_k_pos=2", f"{VESPO}trl.vespo_k_pos=-1"),
    "vespo_lambda_pos": (f"{VESPO}trl.vespo_lambda_pos=2", f"{VESPO}trl.vespo_lambda_pos=-1"),
    "vespo_k_neg": (f"{VESPO}trl.vespo_k_neg=2", f"{VESPO}trl.vespo_k_neg=-1"),
    "vespo_lambda_neg": (f"{VESPO}trl.vespo_lambda_neg=2", f"{VESPO}trl.vespo_lambda_neg=.nan"),
    "mask_truncated_completions": MAYBE,
    "top_entropy_quantile": ("0.5", "0"),
    "entropy_coef": ("0.01", "-1"),
    "use_adaptive_entropy": MAYBE,
    "entropy_coef_min": (
        "trl.use_adaptive_entropy=true & trl.entropy_coef_min=0.1",
        "trl.use_adaptive_entropy=true & trl.entropy_coef_min=2",
    ),
    "entropy_coef_max": ("trl.use_adaptive_entropy=true & trl.entropy_coef_max=0.1", "-1"),
    "entropy_coef_delta": ("trl.use_adaptive_entropy=true & trl.entropy_coef_delta=0.1", "-1"),
    "entropy_target": ("trl.use_adaptive_entropy=true & trl.entropy_target=0.1", "-1"),
    "sync_ref_model": ("algorithm.beta=0.01 & trl.sync_ref_model=true", "algorithm.beta=0 & trl.sync_ref_model=true"),
    "ref_model_mixup_alpha": (
        "algorithm.beta=0.01 & trl.sync_ref_model=true & trl.ref_model_mixup_alpha=0.5", "1.5",
    ),
    "ref_model_sync_steps": ("algorithm.beta=0.01 & trl.sync_ref_model=true & trl.ref_model_sync_steps=1", "0"),
    "use_bias_correction_kl": ("algorithm.beta=0.01 & trl.use_bias_correction_kl=false", "maybe"),
    "off_policy_mask_threshold": ("2", "-1"),
    "vllm_importance_sampling_correction": (
        f"{VLLM}trl.vllm_importance_sampling_correction=false", f"{VLLM}trl.vllm_importance_sampling_correction=2",
    ),
    "vllm_importance_sampling_mode": (
        f"{VLLM}trl.vllm_importance_sampling_mode=token_mask", f"{VLLM}trl.vllm_importance_sampling_mode=mask",
    ),
    "vllm_importance_sampling_clip_max": (
        f"{VLLM}trl.vllm_importance_sampling_clip_max=2", f"{VLLM}trl.vllm_importance_sampling_clip_max=0",
    ),
    "vllm_importance_sampling_clip_min": (
        f"{VLLM}trl.vllm_importance_sampling_clip_min=0.5", f"{VLLM}trl.vllm_importance_sampling_clip_min=4",
    ),
    "vllm_importance_sampling_cap": (
        f"{VLLM}trl.vllm_importance_sampling_cap=2", f"{VLLM}trl.vllm_importance_sampling_cap=-2",
    ),
    # rewards
    "reward_weights": ("rewards=[{name: accuracy, weight: 2}]", "rewards=[{name: accuracy, weight: 0}]"),
    "multi_objective_aggregation": (
        "rewards=[accuracy, think_format] & trl.multi_objective_aggregation=normalize_then_sum", "sum",
    ),
    "scale_rewards": ("batch", "sum"),
    # data
    "shuffle_dataset": ("false", "maybe"),
    "remove_unused_columns": ("false", "true"),
    "ignore_data_skip": MAYBE,
    "dataloader_drop_last": MAYBE,
    "dataloader_num_workers": ("1", "-1"),
    "dataloader_pin_memory": ("false", "maybe"),
    "dataloader_persistent_workers": (
        "trl.dataloader_num_workers=1 & trl.dataloader_persistent_workers=true", "true",
    ),
    "dataloader_prefetch_factor": ("trl.dataloader_num_workers=1 & trl.dataloader_prefetch_factor=2", "2"),
    "dataloader_in_order": ("trl.dataloader_num_workers=1 & trl.dataloader_in_order=false", "maybe"),
    "dataloader_multiprocessing_context": (
        "trl.dataloader_num_workers=1 & trl.dataloader_multiprocessing_context=fork", "fork",
    ),
    # optimizer
    "learning_rate": ("1e-4", "2"),
    "lr_scheduler_type": ("cosine", "cosin"),
    "lr_scheduler_kwargs": ("optim.schedule=cosine & trl.lr_scheduler_kwargs={num_cycles: 1}", "{foo: 1}"),
    "warmup_steps": ("1", "-1"),
    "optim": ("sgd", "adam"),
    "optim_args": ("optim.optimizer=sgd & trl.optim_args=momentum=0.9", "optim.optimizer=sgd & trl.optim_args=foo=1"),
    "optim_target_modules": ("all-linear", "1"),
    "weight_decay": ("0.1", "-1"),
    "adam_beta1": ("0.8", "1.0"),
    "adam_beta2": ("0.8", "2"),
    "adam_epsilon": ("1e-7", "-1e-7"),
    "max_grad_norm": ("0.5", "-1"),
    "num_train_epochs": ("run.steps=null & run.epochs=0.0004", "run.steps=null & run.epochs=0"),
    "max_steps": ("1", "0"),
    "neftune_noise_alpha": ("5", "-5"),
    # precision, speed and devices
    "bf16": MAYBE,
    "fp16": ("false", "true"),
    "bf16_full_eval": (f"{EVAL}trl.bf16_full_eval=true", "maybe"),
    "fp16_full_eval": ("false", f"{EVAL}trl.fp16_full_eval=true & trl.bf16_full_eval=true"),
    "tf32": ("false", "true"),
    "activation_checkpointing": ("optim.gradient_checkpointing=true", "trl.activation_checkpointing=true"),
    "activation_checkpointing_kwargs": (
        f"{GRADIENTS}trl.activation_checkpointing_kwargs={{use_reentrant: false}}",
        f"{GRADIENTS}trl.activation_checkpointing_kwargs={{reentrant: false}}",
    ),
    "gradient_checkpointing": MAYBE,
    "gradient_checkpointing_kwargs": (
        f"{GRADIENTS}trl.gradient_checkpointing_kwargs={{use_reentrant: false}}",
        f"{GRADIENTS}trl.gradient_checkpointing_kwargs={{reentrant: false}}",
    ),
    "torch_compile": ("trl.torch_compile=true & trl.torch_compile_backend=eager", "maybe"),
    "torch_compile_backend": ("eager", "nosuch"),
    "torch_compile_mode": ("trl.torch_compile_mode=default & trl.torch_compile_backend=eager", "fast"),
    "use_liger_kernel": ("false", "true"),
    "liger_kernel_config": ("{rope: true}", "{fused_linear_cross_entropy: true}"),
    "torch_empty_cache_steps": ("1", "0"),
    "use_cpu": ("true", "maybe"),
    "full_determinism": MAYBE,
    "accelerator_config": ("{even_batches: true}", "{foo: 1}"),
    "parallelism_config": ("null", "{cp_size: 2}"),
    "ddp_find_unused_parameters": ("false", "maybe"),
    "ddp_bucket_cap_mb": ("10", "0"),
    "ddp_broadcast_buffers": ("false", "maybe"),
    "ddp_static_graph": ("false", "maybe"),
    "ddp_backend": ("gloo", "glo"),
    "ddp_timeout": ("600", "0"),
    "fsdp": ("null", "ful_shard"),
    "fsdp_config": ("{}", "no.json"),
    "deepspeed": ("null", "ds.json"),
    "local_rank": ("-1", "-2"),
    # logging
    "log_completions": MAYBE,
    "log_multimodal": ("trl.log_completions=true & trl.log_multimodal=false", "maybe"),
    "num_completions_to_print": ("trl.log_completions=true & trl.num_completions_to_print=1", "0"),
    "log_unique_prompts": ("trl.log_completions=true & trl.log_unique_prompts=true", "maybe"),
    "log_completions_hub_repo": ("null", "a/b"),
    "logging_strategy": ("run.log_every=1", "trl.logging_strategy=steps"),
    "logging_steps": ("2", "0"),
    "logging_first_step": ("false", "maybe"),
    "log_on_each_node": ("false", "maybe"),
    "logging_nan_inf_filter": ("false", "maybe"),
    "log_level": ("error", "loud"),
    "log_level_replica": ("error", "loud"),
    "disable_tqdm": ("false", "maybe"),
    "report_to": ("[]", "[wandd]"),
    "run_name": ("run.name=a", "run.name=a/b"),
    "project": ("a", "1"),
    "trackio_space_id": ("a", "1"),
    "trackio_bucket_id": ("a", "1"),
    "trackio_static_space_id": ("a", "1"),
    "include_num_input_tokens_seen": ("all", "1"),
    "debug": ("underflow_overflow", "overflow"),
    "skip_memory_metrics": ("false", "maybe"),
    # evaluation and saving
    "output_dir": ("run.dir=somewhere", "trl.output_dir=somewhere"),
    "eval_strategy": ("run.eval_every=1 & data.eval_limit=4", "trl.eval_strategy=steps"),
    "eval_steps": ("run.eval_every=1 & data.eval_limit=4", "0"),
    "eval_delay": (f"{EVAL}trl.eval_delay=1", "-1"),
    "eval_on_start": (f"{EVAL}trl.eval_on_start=false", "true"),
    "eval_do_concat_batches": (f"{EVAL}trl.eval_do_concat_batches=false", "maybe"),
    "eval_accumulation_steps": (f"{EVAL}trl.eval_accumulation_steps=1", "0"),
    "eval_use_gather_object": (f"{EVAL}trl.eval_use_gather_object=false", "maybe"),
    "prediction_loss_only": (f"{EVAL}trl.prediction_loss_only=true", "maybe"),
    "save_only_model": MAYBE,
    "save_strategy": ("run.save_every=1", "trl.save_strategy=steps"),
    "save_steps": ("1", "0"),
    "save_on_each_node": MAYBE,
    "save_total_limit": ("1", "0"),
    "enable_jit_checkpoint": ("false", "maybe"),
    "load_best_model_at_end": (f"{BEST}trl.load_best_model_at_end=true", "true"),
    "metric_for_best_model": (f"{EVAL}trl.metric_for_best_model=reward", f"{EVAL}trl.metric_for_best_model=rewrad"),
    "greater_is_better": (f"{EVAL}trl.metric_for_best_model=loss & trl.greater_is_better=false", "maybe"),
    "restore_callback_states_from_checkpoint": ("false", "maybe"),
    "push_to_hub": ("false", "true"),
    "hub_token": ("run.steps=1", "secret"),
    "hub_private_repo": ("true", "maybe"),
    "hub_model_id": ("a/b", "1"),
    "hub_strategy": ("end", "sometimes"),
    "hub_always_push": MAYBE,
    "hub_revision": ("main", "1"),
    "seed": ("1", "-1"),
    # read by training scripts
    "do_train": MAYBE,
    "do_eval": MAYBE,
    "do_predict": MAYBE,
    "resume_from_checkpoint": ("null", "somewhere"),
}  # fmt: skip

DEEP = {"model_init_kwargs", "router_aux_loss_coef"}
"""Options whose bad value only the model tells."""


def overrides(option: str, value: str) -> list[str]:
    """What `--set` takes for a value of `option`."""
    written = value.split(" & ") if "=" in value.partition("{")[0].partition(":")[0] else [f"{_path(option)}={value}"]
    is_filtered = "algorithm.type=grpo" not in written
    return [one for one in BASE if is_filtered or one != "algorithm.keep=2"] + written


def _path(option: str) -> str:
    for section, above in ((RunSpec, ""), *((one.section, "algorithm.") for one in (*algorithms().values(), GRPO))):
        for one in declared(section, above):
            if one.setting.option == option or option in one.setting.derived:
                return one.path
    return f"trl.{option}"
