"""Every algorithm is one entry, built-in or not, and what it is made of cannot be set under `trl`."""

import os
import subprocess
import sys
import textwrap

import pytest

from gpocli.spec import RunSpec
from gpocli.spec.algorithms import DEFAULT_ALGORITHM, algorithm, algorithms
from gpocli.spec.batch import notices, solve, updates_per_generation
from gpocli.spec.load import draft_spec
from gpocli.spec.trl_config import trainer_options
from gpocli.spec.trl_schema import trl_options

FIXED = [(name, option) for name, one in algorithms().items() for option in one.options]
REFUSED = [(name, option) for name, one in algorithms().items() for option in one.refused]
FILTERED = [name for name, one in algorithms().items() if one.takes_filters]


def faults(*overrides):
    return [(fault.key, fault.text) for fault in draft_spec([], overrides).faults]


def spec_of(name, **settings):
    return RunSpec.model_validate({"algorithm": {"type": name, **settings}})


def test_an_unknown_name_stands_for_the_default():
    assert algorithm("nope") is algorithms()[DEFAULT_ALGORITHM]


@pytest.mark.parametrize("name", algorithms())
def test_a_spec_may_name_it_alone(name):
    spec = spec_of(name)
    assert (spec.algorithm.type, spec.extension) == (name, algorithms()[name])
    assert updates_per_generation(spec) == algorithms()[name].updates_per_generation
    assert notices(spec) == []


@pytest.mark.parametrize("name", algorithms())
def test_what_it_fixes_and_refuses_are_options_of_trl(name):
    one = algorithms()[name]
    assert {*one.options, *one.refused} <= trl_options().keys()


@pytest.mark.parametrize(("name", "option"), FIXED)
def test_what_it_fixes_is_refused_under_trl_by_name_with_the_reason(name, option):
    one = algorithms()[name]
    ((key, text),) = faults(f"algorithm.type={name}", f"trl.{option}={one.options[option]}")
    assert key == f"trl.{option}"
    assert one.paper in text or one.refused[option] in text


@pytest.mark.parametrize(("name", "option"), REFUSED)
def test_what_has_no_effect_under_it_is_refused_with_the_reason(name, option):
    ((key, text),) = faults(f"algorithm.type={name}", f"trl.{option}=1.0")
    assert (key, algorithms()[name].refused[option] in text) == (f"trl.{option}", True)


@pytest.mark.parametrize("name", algorithms())
def test_the_trainer_gets_what_it_fixes(name, tmp_path):
    spec = spec_of(name)
    options = trainer_options(spec, solve(spec), tmp_path, "cpu")
    assert options.items() >= algorithms()[name].options.items()


@pytest.mark.parametrize("name", FILTERED)
def test_every_filter_goes_with_it_and_half_is_kept_by_default(name):
    spec = spec_of(name, group_size=16, filters=["correct", "length"])
    assert [one.name for one in spec.algorithm.chain] == ["correct", "length"]
    assert spec.algorithm.kept == 8


@pytest.mark.parametrize("name", FILTERED)
def test_a_filter_that_chooses_nothing_is_told(name):
    (notice,) = notices(spec_of(name, group_size=4, keep=4, filters=["length"]))
    assert notice.endswith("all 4 candidates of a group are kept; write a smaller algorithm.keep")


@pytest.mark.parametrize(
    ("name", "other", "updates"), [("gmpo", "grpo", 8), ("gspo", "grpo", 4), ("cispo", "dapo", 16)]
)
def test_ratios_that_are_all_one_are_told(name, other, updates):
    spec = RunSpec.model_validate({"algorithm": {"type": name}, "batch": {"updates_per_generation": 1}})
    assert notices(spec) == [
        f"{name} cannot differ from {other} here: with one update a generation batch and one iteration every ratio is "
        f"1; write batch.updates_per_generation: {updates}, as in its paper"
    ]


def test_only_the_baseline_takes_no_filter():
    assert set(algorithms()) - set(FILTERED) == {"grpo"}


GOOD = """
    from typing import Literal
    import gpocli

    class Section(gpocli.FilteredSection):
        type: Literal["NAME"] = "NAME"

    @gpocli.hookimpl
    def gpo_algorithms():
        return [gpocli.AlgorithmExtension("NAME", "Quick", "quickly", "no paper", Section)]
"""


@pytest.fixture
def load_with(tmp_path):
    """`load_with(name, **modules)`: what loading a spec with that algorithm says where these plugins are installed."""

    def load(name, **modules):
        for module, code in modules.items():
            (tmp_path / f"{module}.py").write_text(textwrap.dedent(code))
            metadata = tmp_path / f"{module}-1.0.dist-info"
            metadata.mkdir()
            (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n")
            (metadata / "entry_points.txt").write_text(f"[gpo]\n{module} = {module}\n")
        code = textwrap.dedent(f"""
            from gpocli.errors import GpoError
            from gpocli.spec.load import load_spec
            try:
                print(0, load_spec([], ["algorithm.type={name}"]).spec.algorithm.type)
            except GpoError as error:
                print(error.exit_code, error)
        """)
        environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
        done = subprocess.run(
            [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True, cwd=tmp_path
        )
        return done.stdout.strip()

    return load


def test_a_plugin_adds_one(load_with):
    assert load_with("quick", good=GOOD.replace("NAME", "quick")) == "0 quick"


def test_a_broken_plugin_breaks_no_other(load_with):
    assert load_with("gfpo", broken="raise RuntimeError('no licence')") == "0 gfpo"


def test_a_name_that_a_broken_plugin_may_have_given_tells_the_cause(load_with):
    said = load_with("quick", broken="raise RuntimeError('no licence')")
    assert said.startswith(
        "3 --set algorithm.type=quick: algorithm.type: unknown algorithm 'quick'; there are: cispo, "
    )
    assert said.endswith(
        "if a broken plugin gives it, mend that: plugin 'broken' (broken 1.0) is broken: RuntimeError: no licence "
        "(broken.py:1)"
    )


def test_a_name_that_two_plugins_claim_is_refused_and_both_are_named(load_with):
    assert load_with("quick", one=GOOD.replace("NAME", "quick"), two=GOOD.replace("NAME", "quick")) == (
        "3 --set algorithm.type=quick: algorithm.type: algorithm 'quick' is claimed by plugin 'one' (one 1.0) and "
        "plugin 'two' (two 1.0); uninstall all but one"
    )


def test_one_that_is_built_in_stays_so_whoever_claims_it(load_with):
    assert load_with("gfpo", rival=GOOD.replace("NAME", "gfpo")) == "0 gfpo"


def test_and_the_others_still_work(load_with):
    assert load_with("gmpo", rival=GOOD.replace("NAME", "gfpo")) == "0 gmpo"
