import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpocli.spec import RunSpec
from gpocli.spec.algorithms import algorithms
from gpocli.spec.dump import dump_spec
from gpocli.spec.yaml_text import read_yaml

words = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20)
scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | words | st.just("")
values = st.recursive(scalars, lambda inner: st.lists(inner) | st.dictionaries(words, inner), max_leaves=8)
options = st.dictionaries(words, values, max_size=3)


@st.composite
def specs(draw):
    filters = st.lists(st.fixed_dictionaries({"name": words, "options": options}), min_size=1, max_size=2)
    algorithm = {"type": "gfpo", "filters": draw(filters), "epsilon": draw(st.floats(1e-9, 1))}
    rewards = [{"name": draw(words), "weight": draw(st.floats(0.1, 1e6)), "options": draw(options)}]
    data = {"system": draw(words), "columns": draw(st.dictionaries(words, words, max_size=2))}
    # a repeated filter is refused; a name of its own keeps the two apart
    algorithm["filters"] = [{**one, "name": f"{i}{one['name']}"} for i, one in enumerate(algorithm["filters"])]
    run = {"seed": draw(st.integers(0, 2**32 - 1)), "trackers": draw(st.sampled_from([[], ["wandb"]]))}
    return RunSpec.model_validate({"algorithm": algorithm, "rewards": rewards, "data": data, "run": run})


@settings(max_examples=25)
@given(specs())
def test_a_dumped_spec_loads_to_an_equal_one(spec):
    read = read_yaml(dump_spec(spec), "f")
    assert read.faults == []
    assert RunSpec.model_validate(read.value) == spec


@pytest.mark.parametrize("algorithm", algorithms())
def test_defaults_are_written_out(load, algorithm):
    spec = RunSpec.model_validate({"algorithm": {"type": algorithm}})
    text = dump_spec(spec)
    assert "  learning_rate: 1e-06\n" in text
    assert load(text).spec == spec


def test_text_that_some_reader_takes_for_something_else_is_quoted():
    spec = RunSpec.model_validate({"data": {"system": "no", "columns": {"5": "a b", "on": "2024-05-01"}}})
    assert '  system: "no"\n  eval_source: null\n' in dump_spec(spec)
    assert '  columns:\n    "5": "a b"\n    "on": "2024-05-01"\n' in dump_spec(spec)
