"""The schema says what the models say, so that an editor helps with what gpo takes."""

from gpocli.presets import preset_names, preset_path
from gpocli.spec.read_file import read_layer
from gpocli.spec.schema import spec_schema
from gpocli.spec.trl_schema import trl_options

SCHEMA = spec_schema()


def fits(value, schema):
    """The part of JSON Schema that the run spec uses."""
    if "$ref" in schema:
        return fits(value, SCHEMA["$defs"][schema["$ref"].rpartition("/")[2]])
    for name, count in (("anyOf", None), ("oneOf", 1)):
        if name in schema:
            fitting = sum(fits(value, one) for one in schema[name])
            return fitting >= 1 if count is None else fitting == count
    if "const" in schema or "enum" in schema:
        return value in schema.get("enum", [schema.get("const")])
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if kinds and not any(is_of(value, kind) for kind in kinds):
        return False
    if isinstance(value, dict):
        known = schema.get("properties", {})
        rest = schema.get("additionalProperties", True)
        return all(name in value for name in schema.get("required", [])) and all(
            fits(item, known[name]) if name in known else rest is not False and (rest is True or fits(item, rest))
            for name, item in value.items()
        )
    if isinstance(value, list):
        return len(value) >= schema.get("minItems", 0) and all(fits(item, schema["items"]) for item in value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return (
            schema.get("minimum", value) <= value <= schema.get("maximum", value)
            and value > schema.get("exclusiveMinimum", value - 1)
            and value < schema.get("exclusiveMaximum", value + 1)
        )
    return not isinstance(value, str) or len(value) >= schema.get("minLength", 0)


def is_of(value, kind):
    kinds = {
        "object": dict, "array": list, "string": str, "boolean": bool, "null": type(None),
        "integer": int, "number": (int, float),
    }  # fmt: skip
    if isinstance(value, bool):
        return kind == "boolean"
    return isinstance(value, kinds[kind])


def test_every_setting_is_described():
    assert SCHEMA["properties"]["batch"]["description"] == "Sizes of a step."
    for name, part in SCHEMA["$defs"].items():
        for one in [part, *part.get("anyOf", [])]:
            for field, schema in one.get("properties", {}).items():
                assert schema.get("description"), f"{name}.{field}"


def test_presets_fit():
    for name in preset_names():
        layer = read_layer(preset_path(name), [])
        assert layer is not None
        assert fits(layer.data, SCHEMA), name


def test_what_fits_and_what_does_not():
    assert fits({"rewards": ["accuracy", {"name": "exact", "weight": -1}], "algorithm": {}}, SCHEMA)
    assert fits({"algorithm": {"type": "grpo", "loss_type": "dapo"}, "trl": {"fp16": True}}, SCHEMA)
    assert fits({"algorithm": {"type": "gmpo", "keep": None, "filters": ["length"]}}, SCHEMA)
    for wrong in (
        {"zebra": 1},
        {"optim": {"learing_rate": 1}},
        {"algorithm": {"type": "gmpo", "divisor": "kept"}},
        {"algorithm": {"keep": 1}},
        {"rewards": []},
        {"rewards": [{"weight": 1}]},
        {"data": {"shuffle": "no"}},
        {"trl": {"learning_rate": 1}},
        {"trl": {"fp16": "yes"}},
        {"trl": {"vllm_model_impl": "torch"}},
    ):
        assert not fits(wrong, SCHEMA), wrong


def test_options_of_trl_are_those_that_some_algorithm_leaves_free():
    free = set(SCHEMA["properties"]["trl"]["properties"])
    assert free < set(trl_options())
    assert {"adam_beta1", "fp16", "model_init_kwargs", "sapo_temperature_neg", "delta"} <= free
    assert not {"learning_rate", "max_steps", "loss_type", "epsilon", "num_generations", "use_vllm"} & free
