import json

import pytest

from gpocli.spec.trl_schema import names_of, trl_options, wrong_value


def test_the_table_is_in_step_with_the_installed_trl():
    import trl

    from tests.spec.make_trl_schema import TABLE, options

    made_with = json.loads(TABLE.read_text(encoding="utf-8"))["trl"]
    installed, table = options(), trl_options()
    assert installed.keys() - table.keys() == set(), "run python -m tests.spec.make_trl_schema"
    if trl.__version__ == made_with:
        assert {name: table[name] for name in installed} == installed


def test_the_names_are_in_step_with_the_installed_transformers():
    import transformers

    from tests.spec.make_trl_schema import TABLE, names

    table = json.loads(TABLE.read_text(encoding="utf-8"))
    if transformers.__version__ == table["transformers"]:
        assert names() == table["names"]


def test_keys_of_optimizers_are_those_that_transformers_reads():
    import inspect

    trainer_optimizer = pytest.importorskip("transformers.trainer_optimizer")
    from tests.spec.make_trl_schema import OPTIM_ARGS

    handlers = trainer_optimizer._OPTIMIZER_HANDLERS
    for optimizer, keys in OPTIM_ARGS.items():
        source = inspect.getsource(handlers[optimizer])
        assert [key for key in keys if f'"{key}"' not in source] == [], optimizer
    silent = {"adamw_torch", "adamw_torch_fused", "adafactor"}
    assert [name for name in silent if "optim_args" in inspect.getsource(handlers[name])] == []


def test_names_that_depend_on_a_kind():
    assert names_of("lr_scheduler_kwargs", "cosine") == ["num_cycles"]
    assert names_of("lr_scheduler_kwargs", "constant") == names_of("optim_args", "adamw_torch") == []
    assert {"sdpa", "eager"} <= set(names_of("attention"))


def test_every_default_of_trl_is_accepted():
    import dataclasses

    from trl import GRPOConfig

    for field in dataclasses.fields(GRPOConfig):
        if field.default is not dataclasses.MISSING and field.name in trl_options():
            value = getattr(field.default, "value", field.default)
            assert wrong_value(field.name, value) is None, field.name


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("detla: 2", "detla: TRL has no such option; write trl.delta"),
        ("learning_rat: 2", "learning_rat: TRL has no such option; write optim.learning_rate"),
        ("lr: 2", "lr: TRL has no such option; write optim.learning_rate"),
        ("zebra: 2", "zebra: TRL has no such option; write one of its GRPOConfig, or remove it"),
        ("delta: x", "delta: 'x' is text; write a number or null"),
        ("vllm_model_impl: vlm", "vllm_model_impl: 'vlm' is not one of its values; write vllm"),
        ("vllm_model_impl: x", "vllm_model_impl: 'x' is not one of its values; write transformers or vllm"),
        ("vllm_model_impl: 1", "vllm_model_impl: 1 is a number; write transformers or vllm"),
        ("disable_dropout: no", "disable_dropout: 'no' is text; write true or false"),
        ("use_cpu: null", "use_cpu: null is no value here; write true or false"),
        ("adam_beta1: 2", "adam_beta1: 2 is out of range; write a number from 0 to below 1"),
        ("chat_template_kwargs: text", "chat_template_kwargs: 'text' is text; write a mapping"),
        (
            "activation_checkpointing: true",
            "activation_checkpointing: is set elsewhere in a spec; write optim.gradient_checkpointing",
        ),
        ("vllm_group_port: 80.5", "vllm_group_port: 80.5 is a number; write a whole number"),
    ],
)
def test_a_wrong_option_is_answered(faults, text, line):
    assert faults(f"trl: {{{text}}}") == [f"run.yaml:1:7: trl.{line}"]


def test_right_options_pass(load):
    trl = {"delta": 2, "vllm_model_impl": "vllm", "generation_kwargs": {"a": 1}, "adam_beta1": 0.8}
    assert load("trl: {delta: 2, vllm_model_impl: vllm, generation_kwargs: {a: 1}, adam_beta1: 0.8}").spec.trl == trl
