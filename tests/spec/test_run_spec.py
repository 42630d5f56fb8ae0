import subprocess
import sys

import pytest
from pydantic import ValidationError

from gpocli.algorithms.gfpo import GFPOSpec
from gpocli.algorithms.gmpo import GMPOSpec
from gpocli.algorithms.grpo import GRPOSpec
from gpocli.settings.algorithm import FilterSpec
from gpocli.settings.reward import RewardSpec
from gpocli.spec import RunSpec


def algorithm(**settings):
    return RunSpec.model_validate({"algorithm": settings}).algorithm


def test_an_empty_spec_is_a_gfpo_run_as_in_its_paper():
    spec = RunSpec()
    assert spec.algorithm == GFPOSpec(group_size=24, keep=8, filters=[FilterSpec(name="length")])
    assert (spec.algorithm.beta, spec.algorithm.entropy_coef, spec.algorithm.epsilon) == (0.001, 0.001, 0.2)
    assert spec.rewards == [RewardSpec(name="accuracy", weight=1.0)]


def test_gmpo_clips_in_log_space_and_keeps_all():
    gmpo = algorithm(type="gmpo")
    assert isinstance(gmpo, GMPOSpec)
    assert (gmpo.epsilon, gmpo.epsilon_high, gmpo.keep, gmpo.filters) == (0.4, None, None, [])


def test_gmpo_takes_a_filter_with_a_keep():
    gmpo = algorithm(type="gmpo", keep=4, filters=["length"])
    assert gmpo.filters == [FilterSpec(name="length")]


def test_a_filter_alone_keeps_half_in_gmpo():
    assert algorithm(type="gmpo", filters=["length"]).keep == 4
    assert algorithm(type="gmpo", filters=["length"], group_size=3).keep == 2


def test_grpo_has_no_filter():
    with pytest.raises(ValidationError, match="Extra inputs"):
        algorithm(type="grpo", filters=["length"])
    assert isinstance(algorithm(type="grpo"), GRPOSpec)


def test_bare_names_stand_for_filters_and_rewards():
    spec = RunSpec.model_validate(
        {"algorithm": {"type": "gfpo", "filters": ["correct", {"name": "length"}]}, "rewards": ["exact"]}
    )
    assert [one.name for one in spec.algorithm.filters] == ["correct", "length"]
    assert spec.rewards == [RewardSpec(name="exact")]


def test_epochs_alone_replace_the_default_steps():
    spec = RunSpec.model_validate({"run": {"epochs": 2}})
    assert (spec.run.steps, spec.run.epochs) == (None, 2.0)


@pytest.mark.parametrize(
    ("section", "settings"),
    [
        ("run", {"steps": True}),
        ("run", {"steps": "5"}),
        ("run", {"steps": 5.0}),
        ("run", {"epochs": True}),
        ("run", {"telemetry": 1}),
        ("run", {"name": 5}),
        ("optim", {"learning_rate": "1e-6"}),
        ("optim", {"learning_rate": float("nan")}),
        ("rewards", [{"name": "exact", "weight": float("inf")}]),
    ],
)
def test_one_type_is_not_taken_for_another(section, settings):
    with pytest.raises(ValidationError):
        RunSpec.model_validate({section: settings})


def test_a_whole_number_does_for_a_number():
    learning_rate = RunSpec.model_validate({"optim": {"learning_rate": 1}}).optim.learning_rate
    assert isinstance(learning_rate, float)


def test_a_spec_cannot_be_changed():
    spec = RunSpec()
    with pytest.raises(ValidationError, match="frozen"):
        spec.run.steps = 3


def test_loading_a_spec_imports_nothing_heavy():
    heavy = "torch transformers trl datasets pandas numpy pyarrow"
    program = (
        "import sys; from gpocli.spec.load import load_spec; import gpocli.spec.dump, gpocli.spec.batch;"
        "load_spec([], ['algorithm.type=gmpo']);"
        f"print([m for m in {heavy.split()} if m in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


IN_PROCESS = {"url": None, "sync": "lora"}
ADAPTERS_ALONE = {
    "no adapter": (
        {"sync": "lora"}, {}, {}, ("sampling", "vllm", "sync"),
        "sync: lora sends the adapter of model.lora, and there is none; write sync: plugin, or lora: {}",
    ),
    "no adapter in the process": (
        IN_PROCESS, {}, {}, ("sampling", "vllm", "sync"),
        "sync: lora sends the adapter of model.lora, and there is none; write sync: plugin, or lora: {}",
    ),
    "a rank that vLLM does not take": (
        {"sync": "lora"}, {"lora": {"rank": 513}}, {}, ("sampling", "vllm", "sync"),
        "sync: lora takes ranks to 512, and lora.rank is 513; lower it, or write sync: plugin",
    ),
    "sleep in the process": (
        IN_PROCESS, {"lora": {}}, {"vllm_enable_sleep_mode": True}, ("trl", "vllm_enable_sleep_mode"),
        "drops the engine's weights, and sampling.vllm.sync: lora sends the adapter alone; leave it out, or write "
        "sampling.vllm: null, which sends all weights",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("vllm", "model", "trl", "at", "text"), ADAPTERS_ALONE.values(), ids=ADAPTERS_ALONE)
def test_what_cannot_be_sent_as_an_adapter_alone_is_one_line(vllm, model, trl, at, text):
    with pytest.raises(ValidationError) as caught:
        RunSpec.model_validate({"sampling": {"engine": "vllm", "vllm": vllm}, "model": model, "trl": trl})
    assert [(error["loc"], error["msg"]) for error in caught.value.errors()] == [(at, text)]


@pytest.mark.parametrize(("vllm", "trl"), [({"sync": "lora"}, {"vllm_enable_sleep_mode": True}), (IN_PROCESS, {})])
def test_an_adapter_of_the_highest_rank_is_sent_alone(vllm, trl):
    settings = {"sampling": {"engine": "vllm", "vllm": vllm}, "model": {"lora": {"rank": 512}}, "trl": trl}
    assert RunSpec.model_validate(settings).sampling.vllm.sync == "lora"
