"""`gpo train` from flags and files to a run directory."""

import hashlib
import json
import math
from pathlib import Path

import pytest

from gpocli.glossary import legend
from gpocli.runs.records import read_candidates
from tests.cli.command import without_figures
from tests.cli.conftest import COUNT_A, GFPO, QUICK, json_lines, metrics

SECRET = "hf_this_is_nobodys_business"
TWO_REWARDS = ("--reward", "./mine.py:count_a=2", "--reward", "./mine.py:odd_length=0.5")


@pytest.fixture(scope="module")
def finished(make_folder):
    """A folder with a GFPO run of two steps in `out`, and what the command printed."""
    folder = make_folder()
    return folder, folder.python_m_gpocli(*GFPO, *TWO_REWARDS, HF_TOKEN=SECRET, WANDB_API_KEY=SECRET)


def test_a_run_prints_plain_lines_and_nothing_of_the_libraries(finished):
    folder, done = finished
    digest = hashlib.sha256((folder.path / "data.jsonl").read_bytes()).hexdigest()[:12]
    assert (done.code, done.stderr) == (0, "")
    assert without_figures(done.stdout) == without_figures(
        "gfpo 2/4 length on ./model: loading, into out\n"
        f"data: data.jsonl, 8 prompts, sha256 {digest}\n"
        "gfpo 2/4 length on ./model: 2 steps\n"
        f"{legend()}\n"
        "step 1/2  kept 1: reward 1  count_a 1  odd_length 1  length 1  all: length 1  flat groups 1  cut 1  "
        "loss 1  grad 1  entropy 1  kl 1  clipped 1  lr 1  1 tokens/s  left 1\n"
        "  SAMPLE\n"
        "step 2/2  kept 1: reward 1  count_a 1  odd_length 1  length 1  all: length at least 1  lost 1  flat groups 1  "
        "loss 1  grad 1  entropy 1  kl 1  clipped 1  lr 1  1 tokens/s  left 1\n"
        "  SAMPLE\n"
        "2 steps in 0:00: reward 1 to 1 length of the kept 1 to 1 tokens, of all 1 in one batch "
        "(first and last tenth)\n"
        "signal: gradient norm 1 on average; 1 of the groups were flat (no advantage)\n"
        "next: gpo samples out\n"
        "      gpo report out\n"
        "      gpo chat out --beside base\n"
        "saved: out\n"
    )


def test_a_run_directory_holds_spec_metrics_candidates_checkpoint_and_model(finished):
    folder, _ = finished
    run = folder.path / "out"
    assert sorted(entry.name for entry in run.iterdir()) == [
        "candidates", "checkpoints", "metrics.jsonl", "model", "run.json", "run.lock", "spec.yaml",
    ]  # fmt: skip
    assert (run / "checkpoints" / "checkpoint-2" / "trainer_state.json").is_file()


def test_no_file_of_a_run_holds_a_secret(finished):
    folder, _ = finished
    files = [path for path in (folder.path / "out").rglob("*") if path.is_file()]
    assert len(files) > 10
    assert [path.name for path in files if SECRET.encode() in path.read_bytes()] == []


def test_the_final_model_loads(finished):
    from transformers import AutoModelForCausalLM, AutoTokenizer

    folder, _ = finished
    assert AutoModelForCausalLM.from_pretrained(folder.path / "out" / "model").config.model_type == "qwen3"
    assert AutoTokenizer.from_pretrained(folder.path / "out" / "model").eos_token == "<eos>"


def test_the_weighted_sum_of_rewards_is_logged_and_recorded(finished):
    folder, _ = finished
    for line in metrics(folder.path / "out"):
        total = 2 * line["rewards/count_a/mean"] + 0.5 * line["rewards/odd_length/mean"]
        assert line["reward"] == pytest.approx(total)
    for row in read_candidates(folder.path / "out").to_pylist():
        if row["outcome"] == "kept":
            assert row["reward"] == pytest.approx(2 * row["reward/count_a"] + 0.5 * row["reward/odd_length"])


def test_every_candidate_of_every_step_is_recorded(finished):
    folder, _ = finished
    table = read_candidates(folder.path / "out")
    assert table.column_names == [
        "step", "prompt_id", "group", "candidate", "prompt", "completion", "tokens", "length", "finished",
        "reward/count_a", "reward/odd_length", "reward", "filter_score", "kept", "outcome", "advantage",
    ]  # fmt: skip
    rows = table.to_pylist()
    assert [(row["step"], row["group"], row["candidate"]) for row in rows] == [
        (step, group, candidate) for step in (1, 2) for group in (0, 1) for candidate in range(4)
    ]
    assert sum(row["kept"] for row in rows) == 8
    assert all(row["length"] == len(row["tokens"]) for row in rows)
    assert all(row["advantage"] == 0 or row["advantage"] is None for row in rows if not row["kept"])


def test_the_kept_are_the_shortest_of_their_group(finished):
    folder, _ = finished
    rows = read_candidates(folder.path / "out").to_pylist()
    for start in range(0, 16, 4):
        group = rows[start : start + 4]
        longest_kept = max(row["length"] for row in group if row["kept"])
        assert all(row["length"] >= longest_kept for row in group if not row["kept"])


def test_the_resolved_spec_starts_the_same_run_again(finished):
    folder, _ = finished
    again = folder.gpo("train", "gfpo", "out/spec.yaml", "--out", "again")
    assert again.code == 0
    losses = [[line["loss"] for line in metrics(folder.path / run)] for run in ("out", "again")]
    assert losses[0] == losses[1]


GMPO = ("train", "gmpo", *QUICK, "--prompts-per-step", 1)
CORRECT = ("--filter", "correct", "--filter", "length")
TOGETHER = ("algorithm.divisor=group", "optim.gradient_checkpointing=true", "model.dtype=bfloat16")
METHODS = [
    (GMPO, "gmpo 4 on ./model"),
    ((*GMPO, *CORRECT), "gmpo 2/4 correct > length on ./model"),
    (("train", "grpo", *QUICK), "grpo 4 on ./model"),
    ((*GFPO, "--filter", "adaptive_difficulty"), "gfpo 2/4 adaptive_difficulty on ./model"),
    ((*GFPO, *(word for one in TOGETHER for word in ("--set", one))), "gfpo 2/4 length on ./model"),
]
ONE_BY_ONE = [
    ((*GMPO, "--filter", "length"), "gmpo 2/4 length on ./model"),
    ((*GFPO, "--filter", "./mine.py:shortest"), "gfpo 2/4 ./mine.py:shortest on ./model"),
    ((*GFPO, *CORRECT), "gfpo 2/4 correct > length on ./model"),
    *(((*GFPO, "--set", one), "gfpo 2/4 length on ./model") for one in (*TOGETHER, "sampling.engine=generate")),
]


@pytest.mark.parametrize(
    ("arguments", "title"), [*METHODS, *(pytest.param(*one, marks=pytest.mark.slow) for one in ONE_BY_ONE)]
)
def test_methods_filters_and_settings_train(folder, arguments, title):
    done = folder.gpo(*arguments, *COUNT_A)
    assert (done.code, done.stderr) == (0, "")
    assert f"{title}: 2 steps" in done.lines[2:4]  # behind a note where a generation batch feeds more than two
    assert all(math.isfinite(line["loss"]) for line in metrics(folder.path / "out"))


def test_a_filter_of_your_own_keeps_what_the_built_in_one_keeps(folder):
    for name in ("length", "./mine.py:shortest"):
        assert folder.gpo(*GFPO, *COUNT_A, "--filter", name, "--out", name[-8:]).code == 0
    kept = [
        [(row["prompt_id"], row["completion"]) for row in read_candidates(folder.path / run).to_pylist() if row["kept"]]
        for run in ("length", "shortest")
    ]
    assert kept[0] == kept[1]


def test_a_spec_file_with_values_from_the_command_line(folder):
    folder.write(
        run_yaml="algorithm: {type: gfpo, group_size: 4, keep: 2}\nmodel: {name: ./model}\n"
        "data: {source: data.jsonl}\nrewards: [exact]\nsampling: {max_tokens: 8}\n"
        "batch: {prompts_per_step: 2}\nrun: {steps: 9}\n"
    )
    done = folder.gpo("train", "gfpo", "run.yaml", "--set", "optim.learning_rate=1e-3", "--steps", 1, "--out", "out")
    assert (done.code, done.stderr) == (0, "")
    assert [line["learning_rate"] for line in metrics(folder.path / "out")] == [1e-3]


def test_a_run_without_a_place_gets_one_named_after_it(folder):
    arguments = [one for one in (*GFPO, *COUNT_A) if one not in ("--out", "out")]
    place = folder.gpo(*arguments).lines[-1].removeprefix("saved: ")
    assert place.startswith("runs/gfpo-length-")
    assert (folder.path / place / "model").is_dir()


def test_plain_prompts_and_chats_train(folder):
    chat = [{"prompt": [{"role": "user", "content": f"say {i}"}], "answer": str(i)} for i in range(8)]
    folder.write(chat_jsonl=json_lines(chat))
    done = folder.gpo(*GFPO, "--data", "chat.jsonl", "--reward", "exact")
    assert (done.code, done.stderr) == (0, "")
    assert read_candidates(folder.path / "out").to_pylist()[0]["prompt"].startswith("say ")


def test_the_embedded_model_trains_out_of_the_box(folder):
    done = folder.gpo("train", "gfpo", "--filter", "length", "--steps", 1, "-G", 6, "-k", 2, "--prompts-per-step", 2)
    assert (done.code, done.stderr) == (0, "")
    assert done.lines[1] == "gfpo 2/6 length on embedded: 1 step"


# Evaluation


def test_each_evaluation_prompt_counts_once_and_no_filter_is_at_work(folder):
    folder.write(eval_jsonl=json_lines([{"prompt": f"say {i}"} for i in range(5)]))
    done = folder.gpo(
        *GFPO, "--steps", 4, "--reward", "./mine.py:number_of_prompt",
        "--set", "run.eval_every=2", "--set", "data.eval_source=eval.jsonl",
    )  # fmt: skip
    assert (done.code, done.stderr) == (0, "")
    evaluations = metrics(folder.path / "out", "eval")
    assert [line["step"] for line in evaluations] == [0, 2, 4]
    assert [line["eval_reward"] for line in evaluations] == [2.0, 2.0, 2.0]  # the mean of 0 to 4
    assert [line["step"] for line in metrics(folder.path / "out")] == [1, 2, 3, 4]


# Trying it before


def test_a_smoke_run_does_all_of_it_and_keeps_nothing(folder):
    evaluated = ("--set", "run.eval_every=9", "--set", "data.eval_source=data.jsonl")
    done = folder.gpo(*GFPO, *COUNT_A, *evaluated, "--steps", 500, "--smoke")
    assert done.code == 0
    assert done.lines[-1] == "smoke run: 2 steps sampled, rewarded, trained and saved; nothing is kept"
    assert [line.partition("  ")[0] for line in done.lines if line.startswith(("step", "eval"))] == [
        "eval after step 0", "step 1/2", "eval after step 1", "step 2/2", "eval after step 2",
    ]  # fmt: skip
    assert {path.name for path in folder.path.iterdir()} <= {"data.jsonl", "mine.py", "model", "__pycache__"}
    assert not Path(done.lines[0].partition("into ")[2]).exists()


def test_a_dry_run_checks_and_shows_the_plan(folder):
    done = folder.gpo(*GFPO, *COUNT_A, "--dry-run")
    assert done.code == 0
    assert done.lines[0] == "run:       gfpo 2/4 length on ./model"
    assert any(line.startswith("steps of the run") for line in done.lines)
    assert not (folder.path / "out").exists()


# What a model brings along

ENGINES = [pytest.param("auto", marks=pytest.mark.slow), "generate"]
"""tests/trainers/test_sampler.py asks the same of gpo's loop."""


def candidates_of_changed(folder, *flags):
    done = folder.gpo(*GFPO, *COUNT_A, "--model", "./changed", "--steps", 1, *flags)
    assert (done.code, done.stderr) == (0, "")
    return read_candidates(folder.path / "out").to_pylist()


@pytest.mark.parametrize("engine", ENGINES)
def test_sampling_settings_of_the_model_do_not_take_over(folder, change_model, engine):
    change_model(
        generation_config={"do_sample": True, "top_k": 1, "temperature": 0.01, "repetition_penalty": 1.5},
    )
    rows = candidates_of_changed(folder, "--set", f"sampling.engine={engine}")
    assert len({row["completion"] for row in rows[:4]}) == 4


@pytest.mark.parametrize("engine", ENGINES)
def test_every_end_token_of_the_model_ends_a_completion(folder, change_model, engine):
    change_model(generation_config={"eos_token_id": [1, 5]})
    rows = candidates_of_changed(folder, "--max-tokens", 60, "--set", f"sampling.engine={engine}", "-k", 4)
    ended = [row for row in rows if row["finished"]]
    assert {row["tokens"][-1] for row in ended} == {1, 5}
    assert not any({1, 5} & set(row["tokens"][:-1]) for row in rows)


def test_padding_with_the_end_token_hides_no_end(folder, change_model):
    changed = change_model(
        tokenizer_config={"pad_token": "<eos>"}, config={"pad_token_id": 1}, generation_config={"pad_token_id": 1}
    )
    rows = candidates_of_changed(folder, "--max-tokens", 60)
    assert all(row["tokens"].count(1) == row["finished"] for row in rows)
    saved, before = (
        json.loads((place / "tokenizer_config.json").read_text()) for place in (folder.path / "out" / "model", changed)
    )
    assert (saved["pad_token"], saved["eos_token"]) == (before["pad_token"], before["eos_token"])


# Adapters


@pytest.fixture(scope="module")
def adapted(make_folder):
    """A folder with a run in `out` that trained an adapter."""
    folder = make_folder()
    done = folder.gpo(*GFPO, *COUNT_A, "--set", "model.lora.rank=2")
    assert (done.code, done.stderr) == (0, "")
    return folder


def test_a_lora_run_saves_an_adapter_that_loads_from_anywhere(adapted):
    from peft import AutoPeftModelForCausalLM

    model = AutoPeftModelForCausalLM.from_pretrained(adapted.path / "out" / "model", local_files_only=True)
    weights = [value for name, value in model.named_parameters() if "lora_B" in name]
    assert any(value.abs().max() > 0 for value in weights)


def test_training_goes_on_with_an_adapter_against_itself_as_reference(adapted):
    from safetensors.torch import load_file

    done = adapted.gpo(*GFPO, *COUNT_A, "--model", "./out/model", "--beta", "0.1", "--out", "more")
    assert (done.code, done.stderr) == (0, "")
    assert metrics(adapted.path / "more")[0]["kl"] == pytest.approx(0, abs=1e-5)
    assert not (adapted.path / "more" / "model" / "ref").exists()
    before, after = (load_file(adapted.path / run / "model" / "adapter_model.safetensors") for run in ("out", "more"))
    assert any((before[name] != after[name]).any() for name in before)


def test_an_adapter_on_an_adapter_is_refused(adapted):
    done = adapted.gpo(*GFPO, *COUNT_A, "--model", "./out/model", "--set", "model.lora.rank=2", "--out", "twice")
    assert done.code == 2
    assert done.stderr == (
        "model.lora: './out/model' is an adapter already, and training goes on with it; remove this\n"
    )


# Code that comes with a model

CODE = """
from transformers import Qwen3Config, Qwen3ForCausalLM


class MyConfig(Qwen3Config):
    model_type = "mine"


class MyModel(Qwen3ForCausalLM):
    config_class = MyConfig

    @classmethod
    def from_pretrained(cls, *arguments, **options):
        return super().from_pretrained(*arguments, **options).requires_grad_({trainable})
"""
MAP = {
    "model_type": "mine",
    "architectures": ["MyModel"],
    "auto_map": {"AutoConfig": "my_code.MyConfig", "AutoModelForCausalLM": "my_code.MyModel"},
}


@pytest.mark.parametrize(
    ("flags", "code"),
    [((), 2), (("--set", "model.trust_remote_code=true", "--beta", "0.1"), 0)],
    ids=["not asked for", "asked for"],
)
def test_code_of_a_model_runs_only_when_asked_for(folder, change_model, flags, code):
    (change_model(config=MAP) / "my_code.py").write_text(CODE.format(trainable=True))
    done = folder.gpo(*GFPO, *COUNT_A, "--model", "./changed", *flags, HF_MODULES_CACHE=str(folder.path / "modules"))
    assert done.code == code
    assert done.stderr == (
        ""
        if code == 0
        else "--model: model.name: './changed' needs the Python code that comes with it; read it, and write "
        "model.trust_remote_code: true\n"
    )


def test_a_model_without_trainable_weights_is_refused(folder, change_model):
    (change_model(config=MAP) / "my_code.py").write_text(CODE.format(trainable=False))
    done = folder.gpo(
        *GFPO, *COUNT_A, "--model", "./changed", "--set", "model.trust_remote_code=true",
        HF_MODULES_CACHE=str(folder.path / "modules"),
    )  # fmt: skip
    assert done.code == 2
    assert done.stderr == (
        "no parameter of the model is trainable, so nothing would be learned; add model.lora, or unfreeze it\n"
    )
