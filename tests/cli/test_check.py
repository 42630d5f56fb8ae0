"""`gpo check`: everything at once, each fault at its place, with what to write."""

import json
import os

import pytest

from tests.cli.in_process import User
from tests.cli.light import run_each

ROWS = "".join(f'{{"prompt": "{number}+3=", "answer": "{number + 3}"}}\n' for number in range(2, 10))


@pytest.fixture
def user(tmp_path, monkeypatch, capsys):
    for name in os.environ:
        if name.startswith(("GPO_", "WANDB_", "WORLD_SIZE")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    user = User(tmp_path, monkeypatch, capsys)
    user.write("rows.jsonl", ROWS)
    return user


@pytest.fixture
def faults(user):
    """What `gpo check run.yaml` says to a spec, and its exit code."""

    def check(text, *arguments):
        user.write("run.yaml", text)
        said = user.gpo("check", "run.yaml", *arguments)
        assert said.out == ""
        return said.err.splitlines(), said.code

    return check


def test_a_sound_run_is_told_in_a_few_lines(user):
    user.write("run.yaml", "data: {source: rows.jsonl}\nrewards: [accuracy, {name: think_format, weight: 0.5}]\n")
    said = user.gpo("check", "run.yaml", "--set", "run.steps=1200", "--set", "run.dir=out")
    assert (said.code, said.err) == (0, "")
    assert said.out.splitlines() == [
        "run:       gfpo 8/24 length on embedded",
        "prompts:   8 of rows.jsonl",
        "steps:     1,200, each of 8 prompts x 24 candidates, 8 kept",
        "rewards:   accuracy, think_format x 0.5",
        "race:      yes",
        "directory: out",
    ]


def test_without_a_spec_the_embedded_run_is_checked(user):
    said = user.gpo("check", "--algorithm", "gmpo", "--set", "run.eval_every=5", "--set", "run.epochs=2")
    assert said.out.splitlines() == [
        "run:       gmpo 8 on embedded",
        "prompts:   4,096 of embedded, 512 to evaluate on",
        "steps:     2 epochs, each of 8 prompts x 8 candidates",
        "rewards:   accuracy",
        "directory: runs/gmpo-TIME",
    ]


def test_a_run_directory_that_is_there_is_told(user):
    user.write("runs/a/spec.yaml", "")
    said = user.gpo("check", "--set", "run.name=a")
    assert said.out.splitlines()[-1] == (
        "directory: runs/a, which is there already: go on with --resume, or name another with --out"
    )


def test_faults_of_all_kinds_come_at_once_by_place(faults):
    lines, code = faults(
        "algorithm:\n"
        "  type: gfpo\n"
        "  keep: 7\n"
        "  filters:\n"
        "    - lenght\n"
        "    - name: random\n"
        "      options: {sed: 1}\n"
        "optim: {learing_rate: 1e-6}\n"
        "data: {source: rows.jsonl}\n"
        "rewards:\n"
        "  - acuracy\n"
        "  - name: exact\n"
        "    options: {answer_column: gold}\n"
        "batch: {micro_batch: 5}\n"
        "run: {trackers: [clearml], eval_every: 5}\n"
        "trl: {label_smoothing_factor: 0.1, remove_unused_columns: true, num_generations_eval: 3,\n"
        "  model_init_kwargs: {dtype: float32}}\n"
        "model: {name: ./nowhere}\n"
        "sampling: {engine: vllm}\n"
    )
    assert lines == [
        "run.yaml:5:7: algorithm.filters.0.name: unknown filter 'lenght'; did you mean 'length'?",
        "run.yaml:7:17: algorithm.filters.1.options.sed: unknown option 'sed'; did you mean 'seed'?",
        "run.yaml:8:9: optim.learing_rate: unknown key; write optim.learning_rate",
        "run.yaml:11:5: rewards.0.name: unknown reward 'acuracy'; did you mean 'accuracy'?",
        "run.yaml:14:9: batch.micro_batch: batch.prompts_per_step 8 x 7 kept = 56 rows a step, which do not split into "
        "micro-batches of 5; write batch.micro_batch: 4 or batch.micro_batch: 7",
        "run.yaml:15:7: run.trackers.0: clearml is not installed; pip install clearml, or remove it",
        "run.yaml:15:28: run.eval_every: 'rows.jsonl' has no split to evaluate on; write data.eval_source, or "
        "data.eval_split",
        "run.yaml:16:7: trl.label_smoothing_factor: has no effect under gfpo (TRL's GRPOTrainer never reads it: its "
        "losses have no labels to smooth); remove it",
        "run.yaml:16:36: trl.remove_unused_columns: true takes the data columns away from rewards; remove it",
        "run.yaml:16:65: trl.num_generations_eval: an evaluation batch of 64 completions does not hold whole groups of "
        "3; write trl.per_device_eval_batch_size: 63 or 66",
        "run.yaml:17:23: trl.model_init_kwargs.dtype: is set elsewhere in a spec; write model.dtype",
        "run.yaml:18:9: model.name: no such folder './nowhere'; write the path of a saved model, or a hub id such as "
        "Qwen/Qwen3-0.6B",
        "run.yaml:19:12: sampling.engine: needs vllm, which is not installed; pip install 'gpocli[vllm]'",
        "rows.jsonl: reward 'exact' needs a column 'gold'; columns found: 'prompt', 'answer'; map one with "
        "--map gold=NAME (data.columns in a spec)",
    ]
    assert code == 2


ONE_FAULT = [
    # names and options of filters and rewards
    ("algorithm: {type: gfpo, filters: [accuracy]}", 2,
     "run.yaml:1:35: algorithm.filters.0.name: 'accuracy' is a reward, not a filter; name it as a reward"),
    ("algorithm: {type: gfpo, filters: [{name: random, options: {seed: x}}]}", 2,
     "run.yaml:1:60: algorithm.filters.0.options.seed: option 'seed' is 'x'; it should be a valid integer"),
    ("algorithm: {type: gfpo, filters: [adaptive_difficulty, {name: adaptive_difficulty, options: {warmup: 1}}]}", 2,
     "run.yaml:1:35: algorithm.filters: filters 'adaptive_difficulty' and 'adaptive_difficulty' both decide how many "
     "are kept; chain only one of them"),
    ("algorithm: {type: gfpo, keep: 4, filters: [{name: adaptive_difficulty, options: {keep: [8, 8, 6, 4]}}]}", 2,
     "run.yaml:1:25: algorithm.keep: filter 'adaptive_difficulty': option 'keep' wants 8 of very hard groups, but k is "
     "4; raise k to 8 or lower the count"),
    ("rewards: [./none.py:score]", 2,
     "run.yaml:1:11: rewards.0.name: reward './none.py': no such file; check the path, which starts at {here}"),
    # code that is broken
    ("rewards: [./broken.py:score]", 3,
     "run.yaml:1:11: rewards.0.name: reward './broken.py' failed on import: ZeroDivisionError: division by zero "
     "(broken.py:1); mend the file"),
    ("algorithm: {type: gfpo, filters: [./fine.py:later]}", 3,
     "run.yaml:1:35: algorithm.filters.0.name: filter 'later' is async; define it with def, for filters are never "
     "awaited"),
    # data
    ("data: {source: row.jsonl}", 2,
     "run.yaml:1:8: data.source: no such file 'row.jsonl'; did you mean 'rows.jsonl'?"),
    ("data: {source: rows.jsonl, split: test}", 2,
     "run.yaml:1:28: data.split: 'rows.jsonl' is one file and has no split 'test'; name a file for each purpose"),
    ("data: {source: question.jsonl}", 2,
     "question.jsonl: no column 'prompt'; columns found: 'question', 'answer'; map one with "
     "--map prompt=question (data.columns in a spec)"),
    ("data: {source: null.jsonl}", 2,
     "null.jsonl:2: prompt is null or missing (1 of 2 rows); mend them, or set data.bad_rows=drop"),
    ("data: {source: rows.jsonl}\nbatch: {prompts_per_step: 9}", 2,
     "rows.jsonl: needs at least 9 prompts for one generation batch, has 8; add rows, or lower batch.prompts_per_step "
     "or batch.updates_per_generation"),
    ("data: {source: rows.jsonl, eval_source: solution.jsonl}\nrun: {eval_every: 1}", 2,
     "solution.jsonl: reward 'accuracy' needs a column 'answer'; columns found: 'prompt', 'solution'; map one with "
     "--map answer=solution (data.columns in a spec)"),
    ("data: {source: prose.jsonl}\nbatch: {prompts_per_step: 1}", 2,
     "prose.jsonl:1: reward 'accuracy' cannot read 2 of 2 gold answers in the column 'answer'; name the column with "
     "the answers as option answer_column, or another reward"),
    # the model, as its files tell
    ("model: {name: ./rows.jsonl}", 2,
     "run.yaml:1:9: model.name: './rows.jsonl' is a file; name the folder of a saved model"),
    ("model: {name: empty}", 2,
     "run.yaml:1:9: model.name: 'empty' holds no model (no config.json); name the folder of a saved model"),
    ("model: {name: hollow}", 2,
     "run.yaml:1:9: model.name: 'hollow' holds no weights (.safetensors or .bin); save the model there, or name "
     "another folder"),
    ("model: {name: small}\nsampling: {max_tokens: 64}\ndata: {source: rows.jsonl}", 2,
     "run.yaml:2:12: sampling.max_tokens: 64 leaves no room for a prompt in the model's context of 64 tokens; write "
     "32 or so"),
    ("model: {name: mute}", 2,
     "run.yaml:1:9: model.name: 'mute' holds no tokenizer; save the model's there, or name another folder"),
    ("model: {name: odd}\ndata: {source: rows.jsonl}", 2,
     "run.yaml:1:9: model.name: 'odd' needs the Python code that comes with it; read it, and write "
     "model.trust_remote_code: true"),
    ("model: {name: small}\nsampling: {max_tokens: 32}\ndata: {source: rows.jsonl, chat: true}", 2,
     "rows.jsonl: prompts are chat messages, but the tokenizer in 'small' has no chat template; write plain text "
     "prompts, or name a chat model"),
    # what a filter is given
    ("algorithm: {type: gfpo, filters: [./fine.py:by_level]}\ndata: {source: rows.jsonl}", 3,
     "run.yaml:1:35: algorithm.filters.0.name: filter 'by_level' needs 'level', which is neither a data column nor "
     "one of what gpo gives to filters; there are: answer, completion_ids, completion_lengths, finished, gpo_row, "
     "group_numbers, prompts, rewards_per_func, trainer_state"),
    # what is not installed, or not known
    ("run: {trackers: [dagshub]}", 5,
     "run.yaml:1:7: run.trackers.0: dagshub is not installed; pip install dagshub, or remove it"),
    ("run: {trackers: [wandbb]}", 2, "run.yaml:1:18: run.trackers.0: 'wandbb' is not one of its values; write wandb"),
    # TRL's options
    ("algorithm: {type: gmpo}\ntrl: {delta: 2.0}", 2,
     "run.yaml:2:7: trl.delta: has no effect under gmpo (GMPO clips one-sidedly in log space: use epsilon and "
     "epsilon_high); remove it"),
    ("trl: {beta1: 3}", 2, "run.yaml:1:7: trl.beta1: TRL has no such option; write algorithm.beta"),
    # the run directory
    ("run: {dir: rows.jsonl/a}", 2, "run.yaml:1:7: run.dir: 'rows.jsonl' is a file; name a folder"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "code", "line"), ONE_FAULT)
def test_a_fault_has_its_place_and_its_cure(faults, user, text, code, line):
    user.write("broken.py", "1 / 0\n")
    user.write(
        "fine.py",
        "async def later(group_completions, group_rewards):\n    return []\n"
        "def by_level(group_completions, group_rewards, level, finished):\n    return []\n",
    )
    user.write("question.jsonl", '{"question": "2+3=", "answer": "5"}\n' * 8)
    user.write("null.jsonl", '{"prompt": "a", "answer": "5"}\n{"prompt": null, "answer": "5"}\n')
    user.write("solution.jsonl", '{"prompt": "2+3=", "solution": "5"}\n' * 8)
    user.write("prose.jsonl", '{"prompt": "a", "answer": "see text"}\n{"prompt": "b", "answer": ""}\n')
    user.write("empty/readme.txt", "")
    user.write("hollow/config.json", "{}")
    user.write("small/config.json", '{"text_config": {"max_position_embeddings": 64}}')
    user.write("small/model.safetensors", "")
    user.write("small/tokenizer_config.json", "{}")
    user.write("mute/config.json", "{}")
    user.write("mute/model.safetensors", "")
    user.write("odd/config.json", '{"model_type": "odd", "auto_map": {"AutoConfig": "odd.OddConfig"}}')
    user.write("odd/model.safetensors", "")
    user.write("odd/tokenizer.json", "{}")
    assert faults(text) == ([line.replace("{here}", str(user.folder))], code)


def test_some_gold_answers_that_cannot_be_read_are_counted(user):
    user.write("rows.jsonl", ROWS + '{"prompt": "a", "answer": "see text"}\n{"prompt": "b", "answer": ""}\n')
    said = user.gpo("check", "--set", "data.source=rows.jsonl")
    assert said.code == 0
    assert said.err == (
        "note: rows.jsonl:9: reward 'accuracy' cannot read 2 of 10 gold answers in the column 'answer'; their "
        "completions get no reward from it (others: rows.jsonl:10)\n"
        "note: rows.jsonl:10: 'answer', which a reward needs, is empty\n"
    )


def test_rows_that_are_worth_a_look_are_noted_for_both_sources(user):
    user.write("rows.jsonl", ROWS + '{"prompt": "2+3=", "answer": "6"}\n')
    user.write("held.jsonl", '{"prompt": "x", "answer": "1"}\n{"prompt": "4+3=", "answer": "7"}\n')
    user.write("run.yaml", "data: {source: rows.jsonl, eval_source: held.jsonl}\nrun: {eval_every: 5}\n")
    assert user.gpo("check", "run.yaml").err.splitlines() == [
        "note: rows.jsonl:9: the prompt of rows.jsonl:1 again, with another 'answer' ('6', not '5'); one of them is "
        "wrong",
        "note: held.jsonl:2: the prompt of rows.jsonl:3, which is trained on, so that it shows no skill",
    ]


def test_prompts_over_the_limit_are_counted_and_listed(user, faults):
    user.write("rows.jsonl", ROWS + "".join(f'{{"prompt": "{"1+" * n}1=", "answer": "{n}"}}\n' for n in (20, 30, 40)))
    limits = ("--set", "data.max_prompt_tokens=32")
    assert faults("data: {source: rows.jsonl}\n", *limits) == (
        [
            "rows.jsonl:9: prompt of 42 tokens, over the limit of 32 (data.max_prompt_tokens) (the first of 3; others: "
            "rows.jsonl:10, rows.jsonl:11); shorten them, or set data.overlong=drop"
        ],
        2,
    )
    assert "; such rows are dropped\n" in user.gpo("check", "run.yaml", *limits, "--set", "data.overlong=drop").err


def test_code_beside_a_model_that_transformers_knows_is_not_needed(user):
    user.write("known/config.json", '{"model_type": "qwen3", "auto_map": {"AutoConfig": "odd.OddConfig"}}')
    user.write("known/model.safetensors", "")
    user.write("known/tokenizer.json", "{}")
    assert user.gpo("check", "--set", "model.name=known", "--set", "data.source=rows.jsonl").code == 0


def test_wandb_must_know_its_user(user, monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(tmp_path)
    user.write("wandb.py", "")
    line = (
        "--set run.trackers=[wandb]: run.trackers.0: wandb has no key and would ask for one; run wandb login, set "
        "WANDB_API_KEY, or set WANDB_MODE=offline\n"
    )
    said = user.gpo("check", "--set", "run.trackers=[wandb]")
    assert (said.code, said.err) == (5, line)
    user.write("home/.netrc", "machine api.wandb.ai login user password key\n")
    assert user.gpo("check", "--set", "run.trackers=[wandb]").code == 0
    monkeypatch.setenv("WANDB_BASE_URL", "https://wandb.example.org")
    assert user.gpo("check", "--set", "run.trackers=[wandb]").err == line
    monkeypatch.setenv("WANDB_MODE", "offline")
    assert user.gpo("check", "--set", "run.trackers=[wandb]").code == 0


def test_the_number_of_processes_counts(user):
    said = user.gpo("check", "--processes", "3")
    assert said.code == 2
    assert said.err.startswith("embedded default:")
    assert "which 3 processes cannot share evenly" in said.err


def test_a_preset_is_a_layer_below_the_specs(user):
    user.write("run.yaml", "algorithm: {type: gfpo, keep: 4}\nmodel: {name: embedded}\nsampling: {max_tokens: 128}\n")
    said = user.gpo("check", "run.yaml", "--preset", "gfpo-8-16", "--set", "rewards=[accuracy]")
    assert said.out.splitlines()[0] == "run:       gfpo 4/16 length on embedded"


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["--preset", "gfpo-816"], "--preset: unknown preset 'gfpo-816'; did you mean 'gfpo-8-16' or 'gfpo-8-24'?"),
        (
            ["--preset", "gmpo-7b", "--algorithm", "gfpo"],
            "--preset gmpo-7b: sets up gmpo, but gfpo is to train; see gpo presets list",
        ),
        (["none.yaml"], "none.yaml: there is no such file; check the path"),
    ],
)
def test_a_wrong_command_line_is_told(user, arguments, line):
    said = user.gpo("check", *arguments)
    assert (said.code, said.err) == (2, line + "\n")


def test_a_variable_is_a_layer_above_the_specs(user, monkeypatch):
    monkeypatch.setenv("GPO__ALGORITHM__KEEP", "40")
    user.write("run.yaml", "algorithm: {type: gfpo, keep: 4}\n")
    assert user.gpo("check", "run.yaml").err == (
        "GPO__ALGORITHM__KEEP: algorithm.keep: keep 40 is more than group_size 24; write keep: 24 or less\n"
    )


def test_json_has_the_run_or_the_faults(user):
    sound = json.loads(user.gpo("check", "--json").out)
    assert sound["ok"]
    assert sound["faults"] == sound["notes"] == []
    assert sound["run"]["run"] == "gfpo 8/24 length on embedded"
    user.write("run.yaml", "rewards: [./broken.py:score]\n")
    user.write("broken.py", "1 / 0\n")
    said = user.gpo("check", "run.yaml", "--json")
    text = "reward './broken.py' failed on import: ZeroDivisionError: division by zero (broken.py:1); mend the file"
    assert said.code == 3
    assert json.loads(said.out) == {
        "ok": False,
        "faults": [
            {
                "place": "run.yaml:1:11",
                "file": "run.yaml",
                "line": 1,
                "column": 11,
                "key": "rewards.0.name",
                "text": text,
                "kind": "plugin",
                "message": f"run.yaml:1:11: rewards.0.name: {text}",
            }
        ],
        "run": None,
        "notes": [],
    }


def test_train_says_the_same(user):
    user.write("run.yaml", "optim: {learing_rate: 1}\nrewards: [acuracy]\ndata: {source: row.jsonl}\n")
    check = user.gpo("check", "run.yaml")
    train = user.gpo("train", "gfpo", "run.yaml")
    assert (train.code, train.err) == (check.code, check.err)
    assert len(check.err.splitlines()) == 3
    assert not (user.folder / "runs").exists()


def test_nothing_that_takes_seconds_is_imported(user):
    user.write("broken.yaml", "algorithm: {type: gfpo, filters: [lenght]}\ntrl: {zebra: 1}\n")
    user.write("sound.yaml", "data: {source: rows.jsonl}\n")
    commands = [["check"], ["check", "broken.yaml"], ["check", "sound.yaml"]]
    assert [done.loaded for done in run_each(commands, user.folder)] == [[], [], []]
