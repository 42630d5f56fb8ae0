import pytest

from gpocli.errors import SpecError
from gpocli.spec.layer import Assignment, Layer, Place
from gpocli.spec.load import draft_spec, load_spec


def test_later_files_win_and_lists_are_replaced_whole(write):
    first = write("run: {steps: 3, seed: 1}\nrewards: [exact, accuracy]\n", "a.yaml")
    second = write("run: {steps: 4}\nrewards: [think_format]\n", "b.yaml")
    spec = load_spec([first, second]).spec
    assert (spec.run.steps, spec.run.seed) == (4, 1)
    assert [reward.name for reward in spec.rewards] == ["think_format"]


def test_set_wins_over_files_and_flags_over_set(load):
    text = "run: {steps: 3, seed: 3, log_every: 3}\n"
    flags = [Assignment("run.steps", 5, Place("--steps"))]
    run = load(text, "run.steps=4", "run.seed=4", flags=flags).spec.run
    assert (run.steps, run.seed, run.log_every) == (5, 4, 3)


@pytest.mark.parametrize(
    ("override", "value"),
    [
        ("1e-6", 1e-6),
        ("[a, b]", ["a", "b"]),
        ("{a: 1}", {"a": 1}),
        ("null", None),
        ("", None),
        ("no", "no"),
        ("'5'", "5"),
        ("a=b", "a=b"),
    ],
)
def test_set_reads_values_as_yaml(load, override, value):
    assert load("rewards: [exact]\n", f"rewards.0.options.x={override}").spec.rewards[0].options == {"x": value}


def test_set_reaches_into_lists_and_adds_to_them(load):
    text = "algorithm: {type: gfpo, filters: [correct, length]}\n"
    spec = load(text, "algorithm.filters.0.options.limit=3", "rewards.1=exact", "rewards.0.weight=2").spec
    assert [(one.name, one.options) for one in spec.algorithm.filters] == [
        ("correct", {"limit": 3}),
        ("length", {}),
    ]
    assert [(reward.name, reward.weight) for reward in spec.rewards] == [("accuracy", 2.0), ("exact", 1.0)]


def test_the_last_word_on_length_wins(load):
    assert load("run: {epochs: 2}\n", flags=[Assignment("run.steps", 3, Place("--steps"))]).spec.run.epochs is None
    run = load("run: {steps: 3}\n", "run.epochs=0.5").spec.run
    assert (run.steps, run.epochs) == (None, 0.5)


def test_a_base_layer_for_another_algorithm_gives_way():
    base = Layer("embedded default", {"algorithm": {"type": "gfpo", "keep": 4}, "run": {"steps": 20}})
    spec = load_spec([], flags=[Assignment("algorithm.type", "gmpo", Place("gpo train gmpo"))], base=[base]).spec
    assert (spec.algorithm.type, spec.algorithm.keep, spec.run.steps) == ("gmpo", None, 20)


def test_a_base_layer_without_a_type_gives_what_the_algorithm_has():
    base = Layer("embedded default", {"algorithm": {"group_size": 16, "divisor": "group"}})
    assert load_spec([], ["algorithm.type=gfpo"], base=[base]).spec.algorithm.divisor == "group"
    assert load_spec([], ["algorithm.type=grpo"], base=[base]).spec.algorithm.group_size == 16


def test_a_file_for_another_algorithm_is_an_error(faults):
    text = "algorithm: {type: gfpo, divisor: group}\n"
    assert faults(text, flags=[Assignment("algorithm.type", "gmpo", Place("gpo train gmpo"))]) == [
        "run.yaml:1:25: algorithm.divisor: gmpo has no divisor, but gfpo has; remove it, or write algorithm.type: gfpo"
    ]


def test_origins_tell_where_each_value_came_from(load):
    base = Layer("embedded default", {"run": {"seed": 7}})
    text = "algorithm:\n  type: gfpo\n  filters: [length]\n"
    flags = [Assignment("run.steps", 5, Place("--steps"))]
    origins = load(text, "algorithm.keep=4", flags=flags, base=[base]).origins
    expected = {
        "algorithm.type": "run.yaml:2:3",
        "algorithm.filters.0.name": "run.yaml:3:13",
        "algorithm.filters.0.options": "default",
        "algorithm.keep": "--set algorithm.keep=4",
        "algorithm.beta": "default",
        "run.steps": "--steps",
        "run.seed": "embedded default",
    }
    assert {path: origins[path] for path in expected} == expected


def test_the_place_of_a_value_is_that_of_what_holds_it(load):
    text = "algorithm:\n  type: gfpo\n  filters: [length]\n  keep: 4\n"
    loaded = load(text)
    assert str(loaded.place_of("algorithm.keep")) == "run.yaml:4:3"
    assert str(loaded.place_of("algorithm.filters.0.options.limit")) == "run.yaml:3:13"
    assert loaded.place_of("batch.micro_batch") is None


def test_a_place_in_a_list_outlives_a_change_beside_it(faults):
    text = "rewards:\n- name: exact\n  weight: x\n- accuracy\n"
    assert faults(text, "rewards.1.weight=2") == [
        "run.yaml:3:3: rewards.0.weight: 'x' is text; write a number from -1e+06 to 1e+06"
    ]


def test_faults_of_several_sources_come_in_their_order(write):
    first = write("run: {steps: 0}\nfoo: 1\n", "b.yaml")
    second = write("run: {seed: -1}\n", "a.yaml")
    with pytest.raises(SpecError) as caught:
        load_spec([first, second], ["run.log_every=0"], [Assignment("run.save_every", 0, Place("--save-every"))])
    assert [line.split(": ")[0] for line in str(caught.value).splitlines()] == [
        "b.yaml:1:7",
        "b.yaml:2:1",
        "a.yaml:1:7",
        "--set run.log_every=0",
        "--save-every",
    ]


def test_a_broken_file_does_not_hide_another(write):
    broken = write("a: [", "a.yaml")
    double = write("run: {seed: 1, seed: 2}\n", "b.yaml")
    with pytest.raises(SpecError) as caught:
        load_spec([broken, double], ["run.seed"])
    assert [line.split(": ")[0] for line in str(caught.value).splitlines()] == [
        "a.yaml:1:5",
        "b.yaml:1:16",
        "--set run.seed",
    ]


def test_variables_win_over_files_and_set_over_variables(load):
    environment = {"GPO__RUN__STEPS": "4", "GPO__RUN__SEED": "5", "GPO_DEBUG": "1", "HOME": "/x"}
    text = "run: {steps: 3, seed: 3, log_every: 3}\n"
    loaded = load(text, "run.steps=6", environment=environment)
    assert (loaded.spec.run.steps, loaded.spec.run.seed, loaded.spec.run.log_every) == (6, 5, 3)
    assert loaded.origins["run.seed"] == "GPO__RUN__SEED"


def test_a_variable_reaches_into_a_list(load):
    spec = load("rewards: [exact]\n", environment={"GPO__REWARDS__0__WEIGHT": "2e0"}).spec
    assert spec.rewards[0].weight == 2.0


@pytest.mark.parametrize(
    ("name", "value", "line"),
    [
        ("GPO__RUN__STEPS", "x", "run.steps: 'x' is text; write a whole number, at least 1, or null"),
        ("GPO__LR", "1e-6", "lr: unknown key; write optim.learning_rate"),
        ("GPO__RUN____STEPS", "1", "the path has an empty part; write it as algorithm.keep"),
        ("GPO__RUN__STEPS", "[1", "what opens here is never closed; close the bracket or quote"),
    ],
)
def test_a_fault_of_a_variable_is_reported_at_the_variable(faults, name, value, line):
    assert faults("run: {seed: 1}\n", environment={name: value}) == [f"{name}: {line}"]


def test_a_draft_has_the_sound_parts_and_tells_the_doubtful_ones(write):
    file = write("algorithm: {type: gfpo, keep: 30}\nrun: {seed: x, steps: 7}\noptim: {learing_rate: 1}\n")
    draft = draft_spec([file])
    assert draft.spec is not None
    assert (draft.spec.run.steps, draft.spec.algorithm.keep, len(draft.faults)) == (7, 8, 3)
    assert draft.is_sound("run.steps", "algorithm.filters")
    assert not any(map(draft.is_sound, ["run.seed", "algorithm.keep", "algorithm.group_size", "optim.learning_rate"]))


def test_of_a_broken_file_there_is_no_draft(write):
    draft = draft_spec([write("a: [")])
    assert draft.spec is None
    assert not draft.is_sound("run.steps")
