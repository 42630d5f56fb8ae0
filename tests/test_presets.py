"""Every preset is a sound run, and says what the papers say."""

import pytest
from huggingface_hub import constants

from gpocli.checks.preflight import check_run
from gpocli.errors import SpecError
from gpocli.presets import find_preset, preset_names, preset_path
from gpocli.spec.layer import Assignment, Place
from gpocli.spec.sources import SpecSources, load_run_spec

# k, G, filter: design.md section 7 (arXiv 2508.09726)
GFPO = {
    "gfpo-8-16": (8, 16, "length"),
    "gfpo-8-24": (8, 24, "length"),
    "gfpo-4-24": (4, 24, "length"),
    "gfpo-token-efficiency": (8, 16, "token_efficiency"),
    "gfpo-adaptive-difficulty": (8, 16, "adaptive_difficulty"),
}


DATA = Place("--data")


@pytest.fixture(scope="module", autouse=True)
def rows(tmp_path_factory):
    """Data for every preset, as its user must give: none of them has any. The models seem to be in the cache."""
    place = tmp_path_factory.mktemp("rows")
    (place / "rows.jsonl").write_text('{"prompt": "2+3=", "answer": "5"}\n' * 600)
    for name in preset_names():
        cached = place / f"models--{load(name).spec.model.name.replace('/', '--')}"
        (cached / "refs").mkdir(parents=True, exist_ok=True)
        (cached / "refs" / "main").write_text("0")
        (cached / "snapshots" / "0").mkdir(parents=True, exist_ok=True)
        for file in ("config.json", "model.safetensors", "tokenizer.json"):
            (cached / "snapshots" / "0" / file).write_text("{}")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        patch.setattr(constants, "HF_HUB_CACHE", str(place))
        yield


def load(name):
    return load_run_spec(SpecSources(preset=name, flags=[Assignment("data.source", "rows.jsonl", DATA)]))


@pytest.mark.parametrize("name", preset_names())
def test_each_preset_passes_the_check_and_comes_from_its_file(name):
    loaded = load(name)
    assert check_run(loaded).notes == []
    assert {origin.split(":")[0] for origin in loaded.origins.values()} == {"default", f"preset {name}", "--data"}


@pytest.mark.parametrize("name", preset_names())
def test_no_preset_trains_its_model_on_the_sums_of_the_demo(name):
    with pytest.raises(SpecError, match=r"^preset .*: data.source: no data is named to train '\w+/.*' on; name some"):
        check_run(load_run_spec(SpecSources(preset=name)))


@pytest.mark.parametrize("name", preset_names())
def test_each_preset_tells_what_it_is_and_its_source(name):
    preset = find_preset(name)
    first, second, *_ = preset_path(name).read_text().splitlines()
    assert (first, second) == (f"# {preset.summary}", f"# source: {preset.source}")
    assert "arXiv" in preset.source


@pytest.mark.parametrize("name", GFPO)
def test_gfpo_presets_are_the_papers(name):
    spec = load(name).spec
    algorithm = spec.algorithm
    assert (algorithm.keep, algorithm.group_size, algorithm.filters[0].name) == GFPO[name]
    assert (algorithm.divisor, algorithm.beta, algorithm.entropy_coef) == ("group", 0.001, 0.001)
    assert (spec.batch.prompts_per_step, spec.optim.learning_rate, spec.run.steps) == (64, 1e-7, 100)
    assert spec.sampling.temperature == 1.0
    assert spec.rewards[0].name == "length_aware_accuracy"


def test_adaptive_difficulty_keeps_8_8_6_4():
    assert load("gfpo-adaptive-difficulty").spec.algorithm.filters[0].options == {"keep": [8, 8, 6, 4]}


@pytest.mark.parametrize("name", ["gmpo-1.5b", "gmpo-7b"])
def test_gmpo_presets_make_8_updates_of_128_a_round_of_1024(name):
    plan = check_run(load(name)).plan
    assert (plan.candidates_per_generation, plan.rows_per_step, plan.updates_per_generation) == (1024, 128, 8)
    spec = load(name).spec
    assert (spec.algorithm.group_size, spec.algorithm.epsilon, spec.algorithm.epsilon_high) == (8, 0.4, None)
    assert (spec.optim.learning_rate, spec.algorithm.beta) == (1e-6, 0)
    assert spec.model.name.endswith(name.removeprefix("gmpo-").upper())


def test_dapo_makes_16_updates_of_512_completions_and_shapes_overlong_rewards():
    plan, spec = check_run(load("dapo")).plan, load("dapo").spec
    assert (plan.prompts_per_generation, plan.rows_per_step, plan.updates_per_generation) == (512, 512, 16)
    assert (spec.algorithm.group_size, spec.algorithm.epsilon, spec.algorithm.epsilon_high) == (16, 0.2, 0.28)
    assert (spec.optim.learning_rate, spec.algorithm.beta, spec.sampling.max_tokens) == (1e-6, 0, 20480)
    overlong = check_run(load("dapo")).rewards[1].function
    # nothing up to 16384 tokens, half way through the buffer of 4096 -0.5
    assert overlong(completion_ids=[[1] * 16384, [1] * 18432], finished=[True, True]) == [0.0, -0.5]
