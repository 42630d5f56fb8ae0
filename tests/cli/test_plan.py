"""`gpo plan`: tables that a person can follow, JSON, and what does not divide."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from gpocli.cli.main import app
from gpocli.cli.plan import size
from gpocli.errors import SpecError


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run `gpo plan` in an empty folder with a file of 7 rows; returns its output."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rows.jsonl").write_text('{"prompt": "a", "answer": "1"}\n' * 7)

    def run(*arguments):
        result = CliRunner().invoke(app, ["plan", *arguments])
        if result.exception is not None:
            raise result.exception
        return result.stdout

    return run


def set_all(*texts):
    return [part for text in texts for part in ("--set", text)]


SMALL = set_all(
    "algorithm.type=gfpo",
    "algorithm.group_size=16",
    "algorithm.keep=4",
    "batch.prompts_per_step=3",
    "batch.micro_batch=2",
    "sampling.max_tokens=100",
    "run.epochs=2.0",
    "data.max_prompt_tokens=28",
)


@pytest.mark.parametrize(
    ("way", "line"),
    [
        ("skip", "flat groups          skip  sampled, and in no pass of an update"),
        ("refill", "flat groups         refill  at most 12 prompts (algorithm.flat_max_prompts 4)"),
    ],
)
def test_what_becomes_of_flat_groups_is_told_where_it_is_not_what_trl_does(run, tiny_model, way, line):
    text = run("--data", "rows.jsonl", "--model", tiny_model, *SMALL, "--flat-groups", way)
    assert line in text.splitlines()


def test_the_tables(run, tiny_model):
    text = run("--data", "rows.jsonl", "--model", tiny_model, *SMALL)
    assert (
        text
        == f"""\
gfpo 4/16 length on {tiny_model}, 1 process

a step           count  made of
prompts              3  batch.prompts_per_step
rows trained on     12  3 prompts x 4 kept of 16
micro-batches        6  12 rows / 2 rows at a time
tokens at most   1,200  12 rows x 100 (sampling.max_tokens)

a generation batch  count  made of
prompts                 3  3 a step x 1 update
candidates sampled     48  3 prompts x 16 (algorithm.group_size)
rows trained on        12  3 prompts x 4
steps                   1  1 update x 1 iteration
tokens at most      4,800  48 candidates x 100 (sampling.max_tokens)

the data          count  made of
rows                  7  rows.jsonl
prompts an epoch      6  2 generation batches of 3
unused an epoch       1  other ones each epoch
steps an epoch        2  2 generation batches x 1 step
steps of the run      4  run.epochs 2, 2 epochs

{MEMORY}"""
    )


# A tiny Qwen3 of 5440 parameters: 45 x 16 embeddings, tied; 2 layers of q 256, k 128, v 128, o 256, mlp 3 x 512,
# norms 2 x 16 + 2 x 8; a last norm 16. Cache: keys and values x 48 rows x 1 head of 8 x 128 tokens x 2 layers x 4.
MEMORY = """\
memory of a process, on a GPU           count  made of
longest prompt                      28 tokens  data.max_prompt_tokens
weights                              21.2 KiB  5.44K x 4 bytes (float32)
reference model                      21.2 KiB  a second copy, for the KL term (beta > 0)
16-bit copies of weights       about 9.00 KiB  while training: of the linear layers, for mixed precision
gradients                            21.2 KiB  while training: 5.44K trained x 4 bytes
optimizer states                     42.5 KiB  of adamw_torch
activations                     about 472 KiB  while training: 2 rows x 128 tokens, all layers kept
logits, training                about 103 KiB  while training: in tiles, with the gradient of the output layer
KV cache                              768 KiB  while sampling: 48 candidates x 128 tokens, 1 of 2 heads
KV cache, spare                 about 192 KiB  while sampling: columns to grow into
logits, sampling               about 25.3 KiB  while sampling: 48 x 45 tokens
sampling needs                 about 1.05 MiB  all parts that are there while sampling
training needs                  about 690 KiB  all parts that are there while training

- the KV cache is that of every candidate at its longest; a race, and dropping ended rows, make it smaller
- the device's own libraries and fragmentation take more, often 1 to 2 GiB
- guards: weights, not_finite, kl_explosion (stop_and_restore); failed_rewards, absurd_rewards, all_cut, unscored, \
no_signal (stop); entropy_collapse, length_explosion, wordier, constant_reward (warn)
- race: yes
"""


def test_rows_in_a_fixed_order_leave_the_same_ones_out(run):
    assert "unused an epoch       1  the last ones, always" in run(
        "--data", "rows.jsonl", *SMALL, "--set", "data.shuffle=false"
    )


def test_several_processes_share_the_rows(run):
    text = run("--data", "rows.jsonl", *SMALL, "--processes", "3")
    assert "micro-batches a process      2  12 rows / 3 processes / 2 rows at a time" in text


def test_json_has_the_same(run):
    plan = json.loads(run("--data", "rows.jsonl", *SMALL, "--json"))
    assert plan["batch"]["candidates_per_generation"] == 48
    assert plan["tokens"] == {
        "longest_prompt": 28,
        "longest_completion": 100,
        "sampled_per_step_at_most": 4800,
        "trained_per_step_at_most": 1200,
    }
    assert plan["data"] == {
        "rows": 7,
        "prompts_per_epoch": 6,
        "unused_per_epoch": 1,
        "shuffled": True,
        "steps_per_epoch": 2,
        "steps": 4,
        "epochs": 2.0,
    }
    memory = plan["memory"]
    assert memory["while_training"] == sum(p["bytes"] for p in memory["parts"] if p["when"] != "sampling")
    assert {part["name"] for part in memory["parts"]} >= {"weights", "gradients", "optimizer states", "KV cache"}


def test_several_updates_share_what_was_sampled(run):
    more = set_all("batch.updates_per_generation=2", "batch.iterations=2")
    plan = json.loads(run("--data", "rows.jsonl", *SMALL, *more, "--json"))
    assert plan["tokens"]["sampled_per_step_at_most"] == 2400  # 96 candidates x 100 tokens / 4 steps


def test_what_does_not_divide_is_answered_with_what_does(run):
    with pytest.raises(SpecError) as caught:
        run("--data", "rows.jsonl", *SMALL, "--set", "batch.micro_batch=5")
    assert str(caught.value).endswith(
        "batch.prompts_per_step 3 x 4 kept = 12 rows a step, which do not split into micro-batches of 5; "
        "write batch.micro_batch: 4 or batch.micro_batch: 6"
    )


def test_too_few_rows_are_told(run):
    with pytest.raises(SpecError, match="needs at least 8 prompts for one generation batch, has 7"):
        run("--data", "rows.jsonl", *SMALL, "--set", "batch.prompts_per_step=8")


def test_a_model_without_a_config_leaves_the_rest(run):
    text = run("--data", "rows.jsonl", "--model", "org/never-seen", *SMALL)
    assert text.splitlines()[-1] == (
        "- memory is not estimated: model 'org/never-seen' is not in the cache yet; "
        "fetch it: hf download org/never-seen config.json"
    )


def test_a_folder_with_a_config_alone_is_enough(run, tmp_path, tiny_model):
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "config.json").write_text((Path(tiny_model) / "config.json").read_text())
    text = run("--data", "rows.jsonl", "--model", "./model", *SMALL)
    assert MEMORY.splitlines()[2] in text
    assert text.splitlines()[-1] == (
        "- --model: model.name: './model' holds no weights (.safetensors or .bin); save the model there, or name "
        "another folder"
    )


def test_what_is_wrong_besides_is_told_as_gpo_check_does(run):
    with pytest.raises(SpecError) as caught:
        run("--data", "rows.jsonl", "--model", "./nowhere", *SMALL, "--set", "optim.learning_rate=-1")
    assert [line.split(": ")[1] for line in str(caught.value).splitlines()] == ["optim.learning_rate", "model.name"]


def test_a_hub_that_does_not_answer_leaves_the_data_out(run):
    plan = json.loads(run("--data", "org/never-seen", "--json"))
    assert plan["data"] is None
    assert plan["notes"][0].startswith("--data: data.source: cannot load dataset 'org/never-seen' from the hub")


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1536, "1.50 KiB"),
        (20 * 2**20, "20.0 MiB"),
        (140 * 2**30, "140 GiB"),
        (1000 * 2**30, "0.98 TiB"),
        (5000 * 2**40, "5000 TiB"),
    ],
)
def test_sizes_are_short(number, text):
    assert size(number) == text


def test_no_torch_is_loaded():
    code = (
        "import sys; from gpocli.planning.plan import plan_run; from gpocli.spec.sources import SpecSources;"
        "plan_run(SpecSources()); print(*(m for m in ('torch', 'transformers', 'trl', 'datasets') if m in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "\n"
