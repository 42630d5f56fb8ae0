"""A setting has one place: what a section or an algorithm decides is refused under `trl`, by name."""

import json
from typing import Any, Literal, get_args, get_origin

import pytest

from gpocli.spec.algorithms import algorithms
from gpocli.spec.fields import settings, wanted_at
from gpocli.spec.trl_schema import trl_options

OTHER = {bool: True, int: 3, float: 0.5, str: "other", list: ["other"]}
"""A value for each type; it need not be sound, for the fault is told whatever the value."""

EVERY = [(name, one) for name in algorithms() for one in settings(name)]


def value_for(types: tuple[Any, ...], default: object) -> Any:
    """A value of one of `types` that is not the default."""
    for kind in types:
        choices = get_args(kind) if get_origin(kind) is Literal else ()
        found = next((choice for choice in choices if choice != default), OTHER.get(get_origin(kind) or kind))
        if found is not None:
            return found
    return None


def nested(path: str, value: Any) -> Any:
    """`value` at a dotted path; a number is a list."""
    for part in reversed(path.split(".")):
        value = [{"name": "exact"} | value] if part == "0" else {part: value}
    return value


def merged(*layers: dict[str, Any]) -> dict[str, Any]:
    """Mappings over mappings."""
    whole: dict[str, Any] = {}
    for layer in layers:
        for name, value in layer.items():
            whole[name] = merged(whole[name], value) if isinstance(whole.get(name), dict) else value
    return whole


@pytest.mark.parametrize(("algorithm", "one"), EVERY, ids=[f"{name}-{one.path}" for name, one in EVERY])
def test_a_setting_and_its_twin_in_trl_are_refused_by_name(faults, algorithm, one):
    key = tuple(int(part) if part.isdigit() else part for part in one.path.split("."))
    value = value_for(wanted_at(key, algorithm)[1].types, one.field.get_default(call_default_factory=True))
    for option in one.setting.owned:
        spec = merged({"algorithm": {"type": algorithm}}, nested(one.path, value), {"trl": nested(option, "twin")})
        lines = faults(json.dumps(spec))
        fault = f"trl.{option}: is set elsewhere in a spec; write {one.path}"
        assert any(line.endswith(f": {fault}") for line in lines), lines


@pytest.mark.parametrize("algorithm", algorithms())
def test_no_option_has_two_owners(algorithm):
    owned = [option for one in settings(algorithm) for option in one.setting.owned]
    assert sorted(owned) == sorted(set(owned))
    extension = algorithms()[algorithm]
    assert not set(owned) & {*extension.options, *extension.refused}


@pytest.mark.parametrize("algorithm", algorithms())
def test_an_option_that_is_anywhere_a_setting_is_nowhere_free(algorithm):
    """An algorithm that has not the setting fixes the option, or says why it has no effect."""
    extension = algorithms()[algorithm]
    own = {option for one in settings(algorithm) for option in one.setting.owned}
    of_any = {option for one in settings() for option in one.setting.owned} & trl_options().keys()
    assert of_any - own - {*extension.options, *extension.refused} == set()


def test_what_an_algorithm_fixes_is_refused(faults):
    for name, one in algorithms().items():
        for option in one.options:
            (line,) = faults(f"algorithm: {{type: {name}}}\ntrl: {{{option}: twin}}\n")
            assert line.startswith(f"run.yaml:2:7: trl.{option}: "), line
            assert line.endswith("; remove it"), line


def test_a_secret_has_no_place_in_a_spec(faults):
    (line,) = faults("trl: {hub_token: hf_abc}\n")
    assert line == (
        "run.yaml:1:7: trl.hub_token: is a secret, and a run keeps its spec and its options in files; "
        "run hf auth login, or set HF_TOKEN"
    )


def test_names_of_other_algorithms_and_of_other_tools(faults):
    assert faults("algorithm: {type: grpo}\ntrl: {num_remains_in_group: 2, k: 2, lora_r: 3}\n") == [
        "run.yaml:2:7: trl.num_remains_in_group: grpo has no keep; remove it",
        "run.yaml:2:32: trl.k: grpo has no keep; remove it",
        "run.yaml:2:38: trl.lora_r: TRL has no such option; write model.lora.rank",
    ]


def test_every_option_with_an_owner_is_one_of_the_trainer_config():
    from dataclasses import fields

    from gpocli.trainers.config import GroupConfig

    names = {field.name for field in fields(GroupConfig)} | {"use_transformers_paged"}  # of older versions of TRL
    assert {option.partition(".")[0] for one in settings() for option in one.setting.owned} <= names


def test_no_name_is_both_an_option_and_an_alias():
    owned = {option for one in settings() for option in one.setting.owned}
    aliases = [alias for one in settings() for alias in one.setting.aliases]
    assert sorted(aliases) == sorted(set(aliases))
    assert not owned & set(aliases)


@pytest.mark.parametrize(
    ("trl", "line"),
    [
        ("generation_kwargs: {temperature: 0.1}", "generation_kwargs.temperature: is set elsewhere in a spec; write "
         "sampling.temperature"),
        ("""model_init_kwargs: '{"dtype": "float32"}'""", """model_init_kwargs: '{"dtype": "float32"}' is text; """
         "write a mapping"),
    ],
)  # fmt: skip
def test_a_mapping_of_options_is_looked_into(faults, trl, line):
    assert faults(f"trl: {{{trl}}}")[0].endswith(f"trl.{line}")


def test_precision_is_said_once(faults, load):
    text = "is decided by model.dtype, which is float32; remove it, or write model.dtype: auto"
    assert faults("model: {dtype: float32}\ntrl: {bf16: true}\n") == [f"run.yaml:2:7: trl.bf16: {text}"]
    assert load("trl: {bf16: false, fp16: true}\n").spec.trl == {"bf16": False, "fp16": True}
