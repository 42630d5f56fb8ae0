"""Values under trl of closed sets, keys of mappings, and files."""

import pytest

from gpocli.checks.trl_values import check_values


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("trl: {torch_compile_backend: inductr}", "trl.torch_compile_backend: 'inductr' is not one of its values; "
         "write inductor"),
        ("trl: {torch_compile_backend: nosuch}", "trl.torch_compile_backend: 'nosuch' is not one of its values; write "
         "aot_eager, aot_ts, cudagraphs, eager, inductor, openxla, ts, tvm or another"),
        ("trl: {torch_compile_mode: fast}", "trl.torch_compile_mode: 'fast' is not one of its values; write default, "
         "lite, max-autotune, max-autotune-no-cudagraphs or reduce-overhead"),
        ("trl: {cache_implementation: statick}", "trl.cache_implementation: 'statick' is not one of its values; write "
         "static"),
        ("trl: {debug: overflow}", "trl.debug: 'overflow' is not one of its values; write underflow_overflow"),
        ("trl: {fsdp: full_shard auto_wrp}", "trl.fsdp: 'auto_wrp' is not one of its values; write auto_wrap"),
        ("trl: {pad_to_multiple_of: eight}", "trl.pad_to_multiple_of: 'eight' is text; write a whole number, auto or "
         "null"),
        ("trl: {accelerator_config: {even_batch: true}}", "trl.accelerator_config: has no even_batch; write "
         "even_batches"),
        ("trl: {deepspeed: {zero_optimisation: {}}}", "trl.deepspeed: is no configuration of DeepSpeed; write one with "
         "zero_optimization"),
        ("trl: {deepspeed: no.json}", "trl.deepspeed: cannot read 'no.json' (No such file or directory); write the "
         "path of a JSON file, or a mapping"),
        ("trl: {accelerator_config: list.json}", "trl.accelerator_config: 'list.json' holds no mapping; write one"),
        ("trl: {lr_scheduler_kwargs: {foo: 1}}\noptim: {schedule: linear}", "trl.lr_scheduler_kwargs: the schedule "
         "'linear' takes no foo, and nothing else; remove it, or write another schedule"),
        ("trl: {lr_scheduler_kwargs: {num_cycle: 1}}\noptim: {schedule: cosine}", "trl.lr_scheduler_kwargs: the "
         "schedule 'cosine' takes no num_cycle; write num_cycles"),
        ("trl: {optim_args: foo=1}\noptim: {optimizer: adamw_torch}", "trl.optim_args: has no effect with the "
         "optimizer 'adamw_torch', of which adam_beta1 and the like are all; remove it"),
        ("trl: {optim_args: 'momentum=0.9, damping=1'}\noptim: {optimizer: sgd}", "trl.optim_args: the optimizer 'sgd' "
         "takes no damping; write dampening"),
        ("trl: {optim_args: momentum}\noptim: {optimizer: sgd}", "trl.optim_args: 'momentum' is no key=value; write "
         "dampening=VALUE, with commas between several"),
        ("trl: {optim_args: momentum=high}\noptim: {optimizer: sgd}", "trl.optim_args: momentum is 'high'; write a "
         "number, or true or false"),
        ("model: {attention: spda}", "model.attention: 'spda' is not one of its values; write sdpa"),
    ],
)  # fmt: skip
def test_a_wrong_value_is_told_with_what_to_write(tmp_path, found_by, text, fault):
    (tmp_path / "list.json").write_text("[1]")
    (line,) = found_by(check_values, f"{text}\n")
    assert line.split(": ", 1)[1] == fault


@pytest.mark.parametrize(
    "text",
    [
        "trl: {torch_compile_backend: inductor, torch_compile_mode: default}",
        "trl: {cache_implementation: static, debug: underflow_overflow, pad_to_multiple_of: auto}",
        "trl: {fsdp: full_shard auto_wrap, fsdp_config: {anything: 1}}",
        "trl: {deepspeed: ds.json}",
        "trl: {accelerator_config: '{\"even_batches\": true}'}",
        "trl: {lr_scheduler_kwargs: {min_lr_rate: 0.1}}\noptim: {schedule: cosine_with_min_lr}",
        "trl: {optim_args: 'momentum=0.9, nesterov=true'}\noptim: {optimizer: sgd}",
        "trl: {chat_template_kwargs: {anything: 1}}",
        "model: {attention: kernels-community/flash-attn2}",
    ],
)
def test_right_values_pass(tmp_path, found_by, text):
    (tmp_path / "ds.json").write_text('{"zero_optimization": {"stage": 2}}')
    assert found_by(check_values, f"{text}\n") == []


def test_a_file_that_is_no_json_is_told(tmp_path, found_by):
    (tmp_path / "ds.json").write_text("{")
    (line,) = found_by(check_values, "trl: {deepspeed: ds.json}\n")
    assert "trl.deepspeed: 'ds.json' is no JSON (Expecting property name" in line
