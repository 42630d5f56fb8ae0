"""`gpo config`: the resolved spec with origins, and the schema."""

import json
import os

import pytest

from gpocli.spec.read_file import read_layer
from gpocli.spec.run_spec import RunSpec
from tests.cli.in_process import User


@pytest.fixture
def user(tmp_path, monkeypatch, capsys):
    for name in os.environ:
        if name.startswith("GPO_"):
            monkeypatch.delenv(name)
    return User(tmp_path, monkeypatch, capsys)


def test_show_prints_a_spec_that_loads_again_to_the_same(user):
    user.write("run.yaml", "algorithm: {type: gmpo, filters: [length]}\ntrl: {fp16: true}\n")
    shown = user.gpo("config", "show", "run.yaml", "--set", "run.seed=3", "--origin").out
    path = user.write("again.yaml", shown)
    layer = read_layer(path, [])
    assert layer is not None
    assert RunSpec.model_validate(layer.data).run.seed == 3
    assert (
        user.gpo("config", "show", "again.yaml").out
        == user.gpo("config", "show", "run.yaml", "--set", "run.seed=3").out
    )


def test_origins_are_those_of_every_layer(user, monkeypatch):
    monkeypatch.setenv("GPO__RUN__SEED", "4")
    user.write("a.yaml", "algorithm:\n  filters:\n  - correct\n  - length\noptim: {weight_decay: 0.1}\n")
    user.write("b.toml", "[optim]\nweight_decay = 0.2\n")
    said = user.gpo(
        "config", "show", "a.yaml", "b.toml", "--preset", "gfpo-8-16", "--set", "run.steps=9", "--origin",
        "--algorithm", "gfpo",
    )  # fmt: skip
    lines = [line.strip() for line in said.out.splitlines()]
    assert "type: gfpo  # --algorithm gfpo" in lines
    assert "group_size: 16  # preset gfpo-8-16:5:3" in lines
    assert "- {name: correct, options: {}}  # a.yaml:3:5" in lines
    assert "weight_decay: 0.2  # b.toml:2:1" in lines
    assert "seed: 4  # GPO__RUN__SEED" in lines
    assert "steps: 9  # --set run.steps=9" in lines
    assert "schedule: constant  # default" in lines


def test_the_embedded_default_is_an_origin_too(user):
    assert "# embedded default:" in user.gpo("config", "show", "--origin").out
    assert "# embedded default:" not in user.gpo("config", "show", "--origin", "--set", "model.name=a/b").out


def test_an_entry_of_a_list_has_the_origins_of_its_parts(user):
    user.write("run.yaml", "algorithm: {type: gfpo, filters: [correct, {name: random}]}\n")
    shown = user.gpo("config", "show", "run.yaml", "--set", "algorithm.filters.1.options.seed=3", "--origin").out
    lines = [line.strip() for line in shown.splitlines()]
    assert "- {name: correct, options: {}}  # run.yaml:1:35" in lines
    assert "- {name: random, options: {seed: 3}}  # run.yaml:1:45, --set algorithm.filters.1.options.seed=3" in lines


def test_json_has_value_and_origin_by_path(user):
    shown = json.loads(user.gpo("config", "show", "--set", "rewards.0.weight=2", "--json").out)
    assert shown["rewards.0.weight"] == {"value": 2.0, "origin": "--set rewards.0.weight=2"}
    assert shown["run.seed"] == {"value": 0, "origin": "default"}


def test_a_faulty_spec_is_told(user):
    said = user.gpo("config", "show", "--set", "run.sed=2")
    assert (said.code, said.out) == (2, "")
    assert said.err == "--set run.sed=2: run.sed: unknown key; write run.seed\n"


def test_schema_is_json(user):
    schema = json.loads(user.gpo("config", "schema").out)
    assert schema["title"] == "gpo run spec"
