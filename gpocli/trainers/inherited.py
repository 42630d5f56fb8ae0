"""One table of every option that `GRPOConfig` hands down: it works, or it is refused by name.

A test walks the dataclass of the installed TRL, so an option that TRL adds fails that test until it is decided here.
An option counts as working when it does under gpo's trainers what TRL documents for `GRPOTrainer`.
"""

_NOT_READ = "TRL's GRPOTrainer never reads it"

WORKS = frozenset(
    # model
    "model_init_kwargs trust_remote_code router_aux_loss_coef disable_dropout cast_lm_head_to_fp32 "
    "ds3_gather_for_generation chat_template_kwargs use_cache "
    # groups and batches
    "num_generations num_generations_eval generation_batch_size steps_per_generation num_iterations "
    "per_device_train_batch_size per_device_eval_batch_size gradient_accumulation_steps auto_find_batch_size "
    # sampling
    "max_completion_length temperature top_p top_k min_p repetition_penalty generation_kwargs cache_implementation "
    "pad_to_multiple_of use_transformers_continuous_batching transformers_continuous_batching_config "
    "use_transformers_paged use_vllm vllm_mode vllm_model_impl vllm_enable_sleep_mode "
    "vllm_structured_outputs_regex vllm_server_base_url vllm_server_host vllm_server_port vllm_server_timeout "
    "vllm_group_port vllm_gpu_memory_utilization vllm_max_model_length vllm_tensor_parallel_size "
    "max_tool_calling_iterations "
    # loss
    "beta epsilon epsilon_high delta loss_type importance_sampling_level sapo_temperature_neg sapo_temperature_pos "
    "vespo_k_pos vespo_lambda_pos vespo_k_neg vespo_lambda_neg mask_truncated_completions top_entropy_quantile "
    "entropy_coef use_adaptive_entropy entropy_coef_min entropy_coef_max entropy_coef_delta entropy_target "
    "sync_ref_model ref_model_mixup_alpha ref_model_sync_steps use_bias_correction_kl off_policy_mask_threshold "
    "vllm_importance_sampling_correction vllm_importance_sampling_mode vllm_importance_sampling_clip_max "
    "vllm_importance_sampling_clip_min vllm_importance_sampling_cap "
    # rewards
    "reward_weights multi_objective_aggregation scale_rewards "
    # data
    "shuffle_dataset remove_unused_columns ignore_data_skip dataloader_drop_last dataloader_num_workers "
    "dataloader_pin_memory dataloader_persistent_workers dataloader_prefetch_factor dataloader_in_order "
    "dataloader_multiprocessing_context "
    # optimizer
    "learning_rate lr_scheduler_type lr_scheduler_kwargs warmup_steps optim optim_args optim_target_modules "
    "weight_decay adam_beta1 adam_beta2 adam_epsilon max_grad_norm num_train_epochs max_steps neftune_noise_alpha "
    # precision, speed and devices
    "bf16 fp16 bf16_full_eval fp16_full_eval tf32 activation_checkpointing activation_checkpointing_kwargs "
    "gradient_checkpointing gradient_checkpointing_kwargs torch_compile torch_compile_backend torch_compile_mode "
    "use_liger_kernel liger_kernel_config torch_empty_cache_steps use_cpu full_determinism accelerator_config "
    "parallelism_config ddp_find_unused_parameters ddp_bucket_cap_mb ddp_broadcast_buffers ddp_static_graph "
    "ddp_backend ddp_timeout fsdp fsdp_config deepspeed local_rank "
    # logging
    "log_completions log_multimodal num_completions_to_print log_unique_prompts log_completions_hub_repo "
    "logging_strategy logging_steps logging_first_step log_on_each_node logging_nan_inf_filter log_level "
    "log_level_replica disable_tqdm report_to run_name project trackio_space_id trackio_bucket_id "
    "trackio_static_space_id include_num_input_tokens_seen debug skip_memory_metrics "
    # evaluation and saving
    "output_dir eval_strategy eval_steps eval_delay eval_on_start eval_do_concat_batches eval_accumulation_steps "
    "eval_use_gather_object prediction_loss_only save_only_model save_strategy save_steps save_on_each_node "
    "save_total_limit enable_jit_checkpoint load_best_model_at_end metric_for_best_model greater_is_better "
    "restore_callback_states_from_checkpoint push_to_hub hub_token hub_private_repo hub_model_id hub_strategy "
    "hub_always_push hub_revision seed "
    # read by training scripts, not by the trainer
    "do_train do_eval do_predict resume_from_checkpoint".split()
)

NEVER_READ = {
    "average_tokens_across_devices": _NOT_READ + ": its losses already average over devices",
    "batch_eval_metrics": _NOT_READ + ": it has no compute_metrics",
    "data_seed": _NOT_READ + ": the order of the data follows seed",
    "include_for_metrics": _NOT_READ + ": it has no compute_metrics",
    "label_names": _NOT_READ + ": its data has no labels",
    "label_smoothing_factor": _NOT_READ + ": its losses have no labels to smooth",
    "length_column_name": _NOT_READ + ": prompts are not grouped by length",
    "train_sampling_strategy": _NOT_READ + ": use shuffle_dataset",
}
"""Why any value of an option but its default is refused, whatever the algorithm."""


def is_decided(option: str) -> bool:
    """Whether the table knows an option of `GRPOConfig`."""
    return option in WORKS or option in NEVER_READ
