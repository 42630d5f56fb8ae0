"""What `gpo train` says and how it exits when something is wrong: one line on stderr, nothing left behind."""

import os
from pathlib import Path

import pytest

from tests.cli.conftest import COUNT_A, GFPO, QUICK, checkpoints, json_lines, metrics

# Before anything loads


def refused(folder, *arguments, code=2):
    """The stderr of a run that ends with `code` before it makes its directory."""
    done = folder.gpo(*GFPO, *COUNT_A, *arguments)
    assert (done.code, done.stdout) == (code, "")
    assert not (folder.path / "out").exists()
    return done.stderr


def test_a_broken_spec_file_is_told_with_every_place(folder):
    folder.write(
        run_yaml="algorithm:\n  type: gfpo\n  group_size: four\n  kep: 2\noptim: {learing_rate: 1e-6}\n",
    )
    done = folder.gpo("train", "gfpo", "run.yaml")
    assert done.code == 2
    assert done.stderr == (
        "run.yaml:3:3: algorithm.group_size: 'four' is text; write a whole number from 2 to 4096\n"
        "run.yaml:4:3: algorithm.kep: unknown key; write algorithm.keep\n"
        "run.yaml:5:9: optim.learing_rate: unknown key; write optim.learning_rate\n"
    )


def test_a_file_that_is_no_yaml_is_told_with_the_place(folder):
    folder.write(run_yaml="algorithm:\n  type: gfpo\nsampling: {max_tokens: 8\n")
    assert folder.gpo("train", "gfpo", "run.yaml").stderr == (
        "run.yaml:3:11: what opens here is never closed; close the bracket or quote\n"
    )


def test_an_unknown_option_of_a_reward_is_told_with_its_place(folder):
    folder.write(run_yaml="rewards:\n- name: exact\n  options: {case_sensitiv: true}\n")
    done = folder.gpo(*GFPO, "run.yaml")
    assert done.code == 2
    assert done.stderr == (
        "run.yaml:3:13: rewards.0.options.case_sensitiv: unknown option 'case_sensitiv'; "
        "did you mean 'case_sensitive'?\n"
    )


@pytest.mark.parametrize(
    ("flags", "text"),
    [
        (
            ("--filter", "lenght"),
            "--filter: algorithm.filters.0.name: unknown filter 'lenght'; did you mean 'length'?\n",
        ),
        (("--reward", "acuracy"), "--reward: rewards.1.name: unknown reward 'acuracy'; did you mean 'accuracy'?\n"),
        (("-k", 5), "--keep: algorithm.keep: keep 5 is more than group_size 4; write keep: 4 or less\n"),
        (
            ("--filter", "./mine.py:shortst"),
            "--filter: algorithm.filters.0.name: there is no 'shortst' in './mine.py'; did you mean 'shortest'?\n",
        ),
        (
            ("--model", "./none"),
            "--model: model.name: no such folder './none'; write the path of a saved model, or a hub id such as "
            "Qwen/Qwen3-0.6B\n",
        ),
        (("--data", "dat.jsonl"), "--data: data.source: no such file 'dat.jsonl'; did you mean 'data.jsonl'?\n"),
        (
            ("--map", "prompt=question"),
            "data.jsonl: no column 'question', which data.columns.prompt names; columns found: "
            "'prompt', 'answer'; name one of these\n",
        ),
        (
            ("--prompts-per-step", 9),
            "data.jsonl: needs at least 9 prompts for one generation batch, has 8; add rows, or "
            "lower batch.prompts_per_step or batch.updates_per_generation\n",
        ),
        (("--out", "data.jsonl"), "--out: run.dir: 'data.jsonl' is a file; name a folder\n"),
        (
            ("--set", "run.eval_every=2"),
            "--set run.eval_every=2: run.eval_every: 'data.jsonl' has no split to evaluate on; write data.eval_source, "
            "or data.eval_split\n",
        ),
    ],
    ids=lambda value: " ".join(map(str, value)) if isinstance(value, tuple) else "",
)
def test_one_line_says_what_is_wrong_and_what_to_write(folder, flags, text):
    assert refused(folder, *flags) == text


def test_a_prompt_column_of_another_name_is_told_with_the_columns_found(folder):
    folder.write(qa_jsonl=json_lines([{"question": f"{i}", "answer": str(i)} for i in range(8)]))
    assert "columns found: 'question', 'answer'" in refused(folder, "--data", "qa.jsonl")


def test_a_column_that_a_reward_needs_is_missed_in_the_evaluation_file_too(folder):
    folder.write(eval_jsonl=json_lines([{"prompt": f"e {i}", "solution": str(i)} for i in range(5)]))
    flags = ("--reward", "exact", "--set", "run.eval_every=2", "--set", "data.eval_source=eval.jsonl")
    text = refused(folder, *flags)
    assert "eval.jsonl: reward 'exact' needs a column 'answer'; columns found: 'prompt', 'solution'" in text


def test_a_tracker_that_is_not_installed_is_missed_before_the_model_loads(folder):
    assert "swanlab is not installed" in refused(folder, "--set", "run.trackers=[swanlab]", code=5)


def test_a_file_that_fails_on_import_exits_3_with_the_line(folder):
    folder.write(broken_py="import nothing_like_this\n")
    assert refused(folder, "--filter", "./broken.py:x", code=3) == (
        "--filter: algorithm.filters.0.name: filter './broken.py' failed on import: ModuleNotFoundError: No module "
        "named 'nothing_like_this' (broken.py:1); mend the file\n"
    )


# The run directory


def test_a_used_directory_is_refused_with_both_ways_out(folder):
    assert folder.gpo(*GFPO, *COUNT_A).code == 0
    before = (folder.path / "out" / "metrics.jsonl").read_text()
    again = folder.gpo(*GFPO, *COUNT_A)
    assert (again.code, again.stdout) == (2, "")
    assert again.stderr == (
        "run directory 'out' is already used; go on with that run with --resume, or name another with --out\n"
    )
    assert (folder.path / "out" / "metrics.jsonl").read_text() == before


def test_a_folder_with_other_files_is_not_written_to(folder):
    (folder.path / "out").mkdir()
    (folder.path / "out" / "spec.yaml").write_text("run: {steps: 1}\n")
    done = folder.gpo(*GFPO, *COUNT_A, "out/spec.yaml")
    assert done.code == 2
    assert done.stderr == (
        "'out' holds files that are not a run's ('spec.yaml'); name another with --out, or an earlier run with "
        "--resume\n"
    )
    assert (folder.path / "out" / "spec.yaml").read_text() == "run: {steps: 1}\n"


# While the model loads


def test_damaged_weights_are_told_in_one_line_and_the_directory_may_be_used_again(folder, change_model):
    with (change_model() / "model.safetensors").open("r+b") as file:
        file.truncate(5000)
    done = folder.gpo(*GFPO, *COUNT_A, "--model", "./changed")
    assert done.code == 5
    assert done.stderr == (
        "cannot load model './changed' (Error while deserializing header: incomplete metadata, file not fully "
        "covered); check the name and the connection, or name a folder\n"
    )
    assert folder.gpo(*GFPO, *COUNT_A).code == 0


def test_a_hub_id_that_is_not_in_the_cache_leaves_nothing(folder):
    done = folder.gpo(*GFPO, *COUNT_A, "--model", "no-such-model")
    assert done.code == 5
    assert done.stderr.startswith("--model: model.name: 'no-such-model' is not whole in the cache (missing: con")
    assert not (folder.path / "out").exists()


LENGTHS = (10, 60, 112, 113, 500, 5, 6, 7)


def test_prompts_that_leave_no_room_are_refused_with_the_first_place(folder):
    folder.write(long_jsonl=json_lines([{"prompt": "a" * length} for length in LENGTHS]))
    done = folder.gpo(*GFPO, *COUNT_A, "--data", "long.jsonl")
    assert done.code == 2
    assert done.stderr == (
        "long.jsonl:4: prompt of 113 tokens, over the limit of 112 (the model's context of 128 less 16 new tokens); "
        "2 of 8 prompts are too long, the longest has 500 tokens; shorten them, or set data.overlong=drop\n"
    )


def test_prompts_that_leave_no_room_are_dropped_on_request_and_counted(folder):
    folder.write(long_jsonl=json_lines([{"prompt": "a" * length} for length in LENGTHS]))
    done = folder.gpo(*GFPO, *COUNT_A, "--data", "long.jsonl", "--set", "data.overlong=drop")
    assert (done.code, done.stderr) == (0, "")
    assert done.lines[2].startswith("dropped rows with a prompt that is too long: long.jsonl:4: prompt of 113 tokens")


def test_too_few_prompts_left_after_dropping_are_refused(folder):
    folder.write(long_jsonl=json_lines([{"prompt": "a" * length} for length in (10, 500, 500)]))
    done = folder.gpo(*GFPO, *COUNT_A, "--data", "long.jsonl", "--set", "data.overlong=drop")
    assert done.code == 2
    assert done.stderr == (
        "long.jsonl: needs at least 2 prompts for one generation batch, has 1; add rows, or lower "
        "batch.prompts_per_step or batch.updates_per_generation\n"
    )


def test_half_precision_on_a_processor_is_refused_before_anything_loads(folder):
    assert refused(folder, "--set", "model.dtype=float16", code=5) == (
        "--set model.dtype=float16: model.dtype: float16 needs a GPU to train; write float32 or bfloat16\n"
    )


def test_the_deep_check_tells_what_the_model_tells_and_train_says_the_same(folder):
    flags = (*QUICK, *COUNT_A, "-k", 2, "--set", "model.lora={target_modules: [q_prj]}")
    fault = "model.lora.target_modules: the model has no layer 'q_prj'; write q_proj\n"
    assert folder.gpo("check", *flags).code == 0
    deep = folder.gpo("check", "--deep", *flags)
    assert (deep.code, deep.stdout, deep.stderr) == (2, "", f"{flags[-2]} {flags[-1]}: {fault}")
    done = folder.gpo("train", "gfpo", *flags)
    assert (done.code, done.stderr) == (2, fault)
    assert not (folder.path / "out").exists()


BREAKS = """
from torch.optim.optimizer import register_optimizer_step_pre_hook

def breaks(completions, trainer_state, **columns):
    def fail(*arguments):
        raise RuntimeError("device side assert\\nof many lines")
    if trainer_state.global_step == {step}:
        register_optimizer_step_pre_hook(fail)
    return [float(text.count("a")) for text in completions]
"""


def test_what_a_library_raises_in_the_first_step_exits_5_and_leaves_no_directory(folder):
    folder.write(breaks_py=BREAKS.format(step=0))
    done = folder.gpo(*GFPO, "--reward", "./breaks.py:breaks")
    said, _, log = done.stderr.partition("; the traceback is in ")
    assert (done.code, said) == (5, "training failed (RuntimeError: device side assert)")
    assert "in fail\n" in Path(log.rstrip("\n")).read_text()
    Path(log.rstrip("\n")).unlink(missing_ok=True)
    assert not (folder.path / "out").exists()


def test_what_a_library_raises_later_is_told_with_the_way_on_and_logged_in_the_directory(folder):
    folder.write(breaks_py=BREAKS.format(step=1))
    done = folder.gpo(*GFPO, "--reward", "./breaks.py:breaks", "--set", "run.save_every=1")
    assert done.code == 5
    assert done.stderr == (
        "training failed (RuntimeError: device side assert); the traceback is in out/error.log; stopped at "
        "checkpoint-1; go on with: gpo train gfpo --resume --out out\n"
    )
    assert "Traceback" in (folder.path / "out" / "error.log").read_text()


def test_a_push_without_the_hub_is_refused_before_anything_loads(folder):
    assert refused(folder, "--set", "trl.push_to_hub=true", code=5) == (
        "--set trl.push_to_hub=true: trl.push_to_hub: needs the hub, and HF_HUB_OFFLINE is set; take that away, or "
        "remove it\n"
    )


# In a step


def test_a_reward_that_raises_in_step_2_exits_3_and_leaves_step_1_whole(folder):
    done = folder.gpo(*GFPO, "--reward", "./mine.py:breaks_in_step_2", "--set", "run.save_every=1", "--steps", 4)
    assert done.code == 3
    assert done.stderr.startswith(
        'reward "breaks_in_step_2" failed on a batch of 4: ValueError: no such judge (mine.py:'
    )
    assert checkpoints(folder.path / "out") == ["checkpoint-1"]
    assert [line["step"] for line in metrics(folder.path / "out")] == [1]


def test_a_filter_whose_score_is_not_a_number_exits_3(folder):
    done = folder.gpo(*GFPO, *COUNT_A, "--filter", "./mine.py:not_a_number")
    assert done.code == 3
    assert done.stderr == (
        "filter 'not_a_number' returned nan as the score of candidate 0 of group 0; return a finite number\n"
    )


def test_rewards_that_never_apply_leave_gaps_rather_than_numbers(folder):
    done = folder.gpo(*GFPO, "--reward", "./mine.py:nothing")
    assert (done.code, done.stderr) == (0, "")
    assert "reward -  nothing -" in done.lines[4]
    assert (
        "nothing could be learned: no reward applied to any completion; check that the rewards return numbers for "
        "this data"
    ) in done.lines
    assert [line["reward"] for line in metrics(folder.path / "out")] == [None, None]


def test_a_reward_that_is_the_same_everywhere_is_said_to_teach_nothing(folder):
    folder.write(flat_py="def flat(completions, **columns):\n    return [1.0] * len(completions)\n")
    done = folder.gpo(*GFPO, "--reward", "./flat.py:flat")
    assert "\nnothing could be learned: in every group all completions got the same reward" in done.stdout


def test_steps_whose_every_completion_is_cut_and_masked_change_nothing(folder):
    flags = ("--max-tokens", 1, "--set", "algorithm.mask_truncated=true", "--beta", 0)
    folder.write(long_py="def never(completions, **columns):\n    return [0.0] * len(completions)\n")
    done = folder.gpo(*GFPO, "--reward", "./long.py:never", "--set", "algorithm.entropy_coef=0", *flags)
    assert (done.code, done.stderr) == (0, "")
    assert [line["loss"] for line in metrics(folder.path / "out")] == [0, 0]


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is read-only for root")
def test_a_folder_that_cannot_be_written_to_is_refused(folder):
    (folder.path / "locked").mkdir(mode=0o500)
    assert folder.gpo("train", "gfpo", *QUICK, "--out", "locked/out").code == 5
