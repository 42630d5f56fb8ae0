"""Broken specs and, to the letter, what gpo says to them."""

import pytest

from gpocli.spec.layer import Assignment, Place
from gpocli.spec.suggest import meant_by

SECTIONS = "algorithm, model, data, rewards, sampling, optim, batch, run, guards, trl"
GFPO = "algorithm:\n  type: gfpo\n"

BROKEN = [
    # keys that are not known (trap C05)
    ("optim: {learing_rate: 1e-6}", ["1:9: optim.learing_rate: unknown key; write optim.learning_rate"]),
    ("learning_rate: 1e-6", ["1:1: learning_rate: unknown key; write optim.learning_rate"]),
    ("lr: 1e-6", ["1:1: lr: unknown key; write optim.learning_rate"]),
    ("temprature: 1", ["1:1: temprature: unknown key; write sampling.temperature"]),
    ("max_new_tokens: 9", ["1:1: max_new_tokens: unknown key; write sampling.max_tokens"]),
    ("keep: 4", ["1:1: keep: unknown key; write algorithm.keep"]),
    ("name: x", ["1:1: name: unknown key; write model.name or run.name"]),
    (
        "zebra: 1",
        [f"1:1: zebra: unknown key; write one of {SECTIONS}"],
    ),
    (GFPO + "  num_generation: 8",
     ["3:3: algorithm.num_generation: unknown key; write algorithm.group_size"]),
    (GFPO + "  num_remains_in_group: 8",
     ["3:3: algorithm.num_remains_in_group: unknown key; write algorithm.keep"]),
    (GFPO + "  options: {}",
     ["3:3: algorithm.options: unknown key; write one of type, group_size, beta, entropy_coef, "
      "mask_truncated, flat_groups, flat_max_prompts, keep, filters, race, whole_every, divisor, epsilon, "
      "epsilon_high, scale_rewards"]),
    (
        GFPO + "  filters: [{name: length, limit: 3}]",
        [
            "3:28: algorithm.filters.0.limit: unknown key; options go one level below: "
            "write algorithm.filters.0.options.limit"
        ],
    ),
    ("rewards: [{name: exact, wieght: 2}]", ["1:25: rewards.0.wieght: unknown key; write rewards.0.weight"]),
    ("batch: {per_device_train_batch_size: 4}",
     ["1:9: batch.per_device_train_batch_size: unknown key; write batch.micro_batch"]),
    ("model: {lora: {r: 4}}",
     ["1:16: model.lora.r: unknown key; write one of rank, alpha, dropout, target_modules"]),
    (
        "algorithm: {type: grpo, keep: 4}",
        [
            "1:25: algorithm.keep: grpo has no keep, but gfpo, gmpo, gspo, dr_grpo, dapo and cispo have; "
            "remove it, or write algorithm.type: gfpo"
        ],
    ),
    (
        "algorithm: {type: gmpo, loss_type: dapo}",
        ["1:25: algorithm.loss_type: gmpo has no loss_type, but grpo has; remove it, or write algorithm.type: grpo"],
    ),
    (GFPO + "  keep: 4\n  keep: 5",
     ["4:3: algorithm.keep: is there already, in line 3, column 3; remove one of the two"]),
    # options of TRL that have a home (design 4.5)
    ("trl: {learning_rate: 1e-6}",
     ["1:7: trl.learning_rate: is set elsewhere in a spec; write optim.learning_rate"]),
    (
        "trl: {max_steps: 3, num_generations: 4}",
        [
            "1:7: trl.max_steps: is set elsewhere in a spec; write run.steps",
            "1:21: trl.num_generations: is set elsewhere in a spec; write algorithm.group_size",
        ],
    ),
    ("trl: {loss_type: dapo}", ["1:7: trl.loss_type: gfpo always has loss_type: dapo (arXiv 2508.09726); remove it"]),
    # truth values in YAML (trap C02)
    ("data: {shuffle: no}", ["1:8: data.shuffle: 'no' is text; write false"]),
    ("data: {shuffle: on}", ["1:8: data.shuffle: 'on' is text; write true"]),
    ("data: {shuffle: 1}", ["1:8: data.shuffle: 1 is a number; write true"]),
    ("data: {shuffle: maybe}", ["1:8: data.shuffle: 'maybe' is text; write true or false"]),
    ("run: {name: true}", ["1:7: run.name: true is a truth value, not text; put it in quotes"]),
    ("run: {steps: true}",
     ["1:7: run.steps: true is a truth value; write a whole number, at least 1, or null"]),
    ("run: {save_every: off}",
     ["1:7: run.save_every: 'off' is text; write a whole number, at least 1, or null"]),
    ("algorithm: {type: gfpo, scale_rewards: ~}",
     ["1:25: algorithm.scale_rewards: null is not one of group, batch, none; write none"]),
    ("algorithm: {type: gfpo, scale_rewards: false}",
     ["1:25: algorithm.scale_rewards: false is not one of group, batch, none; write none"]),
    ("model: {quantization: no}",
     ["1:9: model.quantization: 'no' is not one of its values; write 4bit, 8bit or null"]),
    # other types
    ("run: {steps: '5'}", ["1:7: run.steps: '5' is text; write 5 without quotes"]),
    ("run: {steps: 1e3}", ["1:7: run.steps: 1000.0 is not a whole number; write 1000"]),
    ("run: {steps: 1.5}", ["1:7: run.steps: 1.5 is a number; write a whole number, at least 1, or null"]),
    ("run: {seed: null}",
     ["1:7: run.seed: null is no value here; write a whole number from 0 to 4294967295, or leave it out"]),
    ("model: {revision: 1234567}", ["1:9: model.revision: 1234567 is a number, not text; put it in quotes"]),
    ("model: {name: ''}", ["1:9: model.name: is empty; write text"]),
    ("model: Qwen/Qwen3-0.6B",
     ["1:1: model: 'Qwen/Qwen3-0.6B' is text, not a mapping; write {name: Qwen/Qwen3-0.6B}"]),
    ("algorithm: gmpo", ["1:1: algorithm: 'gmpo' is text, not a mapping; write {type: gmpo}"]),
    ("optim:", ["1:1: optim: is empty; remove it, or write its settings below it"]),
    ("optim: [1]", ["1:1: optim: a list is not a single value; write a mapping"]),
    ("rewards: accuracy", ["1:1: rewards: 'accuracy' is text, not a list; write [accuracy]"]),
    ("rewards: []", ["1:1: rewards: is empty; write at least one entry"]),
    ("rewards: [5]", ["1:11: rewards.0: 5 is a number; write a name, or a mapping with name and options"]),
    ("rewards: [{weight: 2}]", ["1:11: rewards.0.name: is missing; write it, as text"]),
    ("trl: [a]", ["1:1: trl: a list is not a single value; write a mapping"]),
    ("data: {columns: {prompt: 3}}",
     ["1:18: data.columns.prompt: 3 is a number, not text; put it in quotes"]),
    ("model: {lora: {target_modules: 5}}",
     ["1:16: model.lora.target_modules: 5 is a number; write a list, or all-linear"]),
    ("model: {lora: {target_modules: all-liner}}",
     ["1:16: model.lora.target_modules: 'all-liner' is not one of its values; write all-linear"]),
    ("model: {lora: {target_modules: [5]}}",
     ["1:33: model.lora.target_modules.0: 5 is a number, not text; put it in quotes"]),
    # bounds and closed sets
    ("sampling: {temperature: 0}",
     ["1:12: sampling.temperature: 0 is too small; write a number above 0, at most 100"]),
    ("sampling: {top_p: 1.5}", ["1:12: sampling.top_p: 1.5 is too large; write a number above 0, at most 1"]),
    ("sampling: {top_p: .nan}",
     ["1:12: sampling.top_p: nan is not a finite number; write a number above 0, at most 1"]),
    ("model: {lora: {dropout: 1}}",
     ["1:16: model.lora.dropout: 1 is too large; write a number from 0 to below 1"]),
    ("algorithm: {type: gfppo}", ["1:13: algorithm.type: 'gfppo' is not one of its values; write gfpo"]),
    ("algorithm: {type: ppo2d}",
     ["1:13: algorithm.type: 'ppo2d' is not one of its values; write gfpo, gmpo, grpo, gspo, dr_grpo, dapo or cispo"]),
    ("algorithm: {keep: 4}", ["1:1: algorithm.type: is missing; write gfpo, gmpo, grpo, gspo, dr_grpo, dapo or cispo"]),
    ("algorithm: {type: grpo, loss_type: dapoo}",
     ["1:25: algorithm.loss_type: 'dapoo' is not one of its values; write dapo"]),
    ("optim: {schedule: Cosine}", ["1:9: optim.schedule: 'Cosine' is not one of its values; write cosine"]),
    ("run: {trackers: [wandbb]}", ["1:18: run.trackers.0: 'wandbb' is not one of its values; write wandb"]),
    # rules over several fields
    (GFPO + "  keep: 30",
     ["3:3: algorithm.keep: keep 30 is more than group_size 24; write keep: 24 or less"]),
    (GFPO + "  group_size: 4",
     ["3:3: algorithm.group_size: keep 8 is more than group_size 4; write keep: 4 or less"]),
    (GFPO + "  keep: 1", ["3:3: algorithm.keep: 1 is too small; write a whole number from 2 to 4096"]),
    (GFPO + "  filters: []", ["3:3: algorithm.filters: is empty; write at least one entry"]),
    (GFPO + "  filters: [length, length]",
     ["3:3: algorithm.filters: filter 'length' is there twice with the same options; remove one"]),
    ("algorithm: {type: gmpo, keep: 4}",
     ["1:25: algorithm.keep: 4 are to be kept, but no filter chooses them; write filters: [length] as well"]),
    ("algorithm: {type: gmpo, filters: [length], keep: null}",
     ["1:25: algorithm.filters: a filter needs the number to keep of 8; write keep: 4 as well"]),
    ("algorithm: {type: grpo, loss_type: luspo}",
     ["1:25: algorithm.loss_type: luspo weighs whole sequences; "
      "write trl.importance_sampling_level: sequence as well"]),
    ("model: {quantization: 4bit}",
     ["1:9: model.quantization: 4bit weights cannot be trained; write lora: {rank: 16} as well"]),
    ("model: {lora: {target_modules: []}}",
     ["1:16: model.lora.target_modules: names no layer; write all-linear, or a list of layer names"]),
    ("optim: {warmup_steps: 5}",
     ["1:9: optim.warmup_steps: the schedule 'constant' has no warm-up; write schedule: constant_with_warmup"]),
    ("run: {steps: 3, epochs: 2}", ["1:7: run.steps: steps 3 and epochs 2 both say how long; remove one"]),
    ("run: {steps: null}", ["1:7: run.steps: the run has no length; write a number of steps, or epochs"]),
    ("run: {name: a/b}", ["1:7: run.name: 'a/b' is not the name of one folder; write a path as dir instead"]),
    ("rewards: [{name: exact, weight: 0}]",
     ["1:1: rewards: all weights are 0, so nothing is learned; give one reward another weight"]),
    # characters (trap R32)
    ('data: {system: "\\frac12"}',
     ['1:8: data.system: holds a form feed, as "\\f" makes in double quotes; write "\\\\f" for a backslash']),
    ('data: {overlong: "a\\nb"}',
     ["1:8: data.overlong: 'a\\nb' is not one of its values; write refuse or drop"]),
    ('data: {system: "\\x01"}', ["1:8: data.system: holds the character U+0001; remove it"]),
    # several at once, in their order, those of rules too
    (
        GFPO + "  keep: 30\n  epsilon: 2\nrun: {steps: 0, name: a/b}\nzebra: 1\nrewards: [{name: x, weight: 0}]",
        [
            "3:3: algorithm.keep: keep 30 is more than group_size 24; write keep: 24 or less",
            "4:3: algorithm.epsilon: 2 is too large; write a number above 0, at most 1",
            "5:7: run.steps: 0 is too small; write a whole number, at least 1, or null",
            "5:17: run.name: 'a/b' is not the name of one folder; write a path as dir instead",
            f"6:1: zebra: unknown key; write one of {SECTIONS}",
            "7:1: rewards: all weights are 0, so nothing is learned; give one reward another weight",
        ],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("text", "lines"), BROKEN)
def test_a_broken_spec_is_answered_with_what_to_write(faults, text, lines):
    assert faults(text) == [f"run.yaml:{line}" for line in lines]


@pytest.mark.parametrize(
    ("override", "line"),
    [
        ("algorithm.keep=x", "algorithm.keep: 'x' is text; write a whole number from 2 to 4096"),
        ("algorithm.kep=4", "algorithm.kep: unknown key; write algorithm.keep"),
        ("keep=4", "keep: unknown key; write algorithm.keep"),
        ("run.steps", "has no value; write --set run.steps=VALUE"),
        ("run.seed=", "run.seed: null is no value here; write a whole number from 0 to 4294967295, or leave it out"),
        ("=4", "the path has an empty part; write it as algorithm.keep"),
        ("rewards.3.weight=2", "the list has 1 entry; write rewards.1 to add one"),
        ("rewards.0.weight=x", "rewards.0.weight: 'x' is text; write a number from -1e+06 to 1e+06"),
        ("data.source=[x", "what opens here is never closed; close the bracket or quote"),
        ("data.source=@x", "a value cannot start with @; put it in quotes"),
        ("run.steps=!x 3", "the tag !x is not supported; write a plain value"),
    ],
)
def test_a_broken_override_is_answered_at_its_place(faults, override, line):
    lines = faults(GFPO, override)
    assert lines == [f"--set {override}: {line}"]


def test_a_fault_of_a_flag_is_reported_at_the_flag(faults):
    assert faults(GFPO, flags=[Assignment("algorithm.keep", 30, Place("--keep"))]) == [
        "--keep: algorithm.keep: keep 30 is more than group_size 24; write keep: 24 or less"
    ]


def test_a_rule_is_reported_where_the_last_word_was(faults):
    assert faults(GFPO + "  keep: 8\n", flags=[Assignment("algorithm.group_size", 4, Place("--group-size"))]) == [
        "--group-size: algorithm.group_size: keep 8 is more than group_size 4; write keep: 4 or less"
    ]


def test_a_filter_flag_for_a_method_without_filters(faults):
    flags = [
        Assignment("algorithm.type", "grpo", Place("gpo train grpo")),
        Assignment("algorithm.filters", ["length"], Place("--filter")),
    ]
    assert faults(None, flags=flags) == [
        "--filter: algorithm.filters: grpo has no filters, but gfpo, gmpo, gspo, dr_grpo, dapo and cispo have; "
        "remove it, or write algorithm.type: gfpo"
    ]


@pytest.mark.parametrize(
    ("key", "meant"),
    [
        (("data", "sorce"), [("data", "source")]),
        (("dataset",), [("data", "source")]),
        (("lerning_rate",), [("optim", "learning_rate")]),
        (("name",), [("model", "name"), ("run", "name")]),
        (("data", "zebra"), [("data",)]),
        (("zebra",), []),
    ],
)
def test_what_an_unknown_key_may_stand_for_is_in_doubt(key, meant):
    assert meant_by(key, "gfpo") == meant
