"""The page about scale has the sums of `gpo plan`, and its examples start what is there."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from gpocli.cli.plan import as_record
from gpocli.planning.plan import plan_run
from gpocli.spec.sources import SpecSources

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "scale.md").read_text(encoding="utf-8")
EXAMPLES = sorted((ROOT / "examples" / "scale").glob("*.yaml"))
QWEN = {
    "model_type": "qwen3", "architectures": ["Qwen3ForCausalLM"], "num_key_value_heads": 8, "head_dim": 128,
    "vocab_size": 151936, "max_position_embeddings": 40960, "eos_token_id": 151645,
}  # fmt: skip
SIZES = {
    "0.6B": {"hidden_size": 1024, "intermediate_size": 3072, "num_hidden_layers": 28, "num_attention_heads": 16,
             "tie_word_embeddings": True},
    "8B": {"hidden_size": 4096, "intermediate_size": 12288, "num_hidden_layers": 36, "num_attention_heads": 32,
           "tie_word_embeddings": False},
}  # fmt: skip
SERVER = ("sampling.engine=vllm", "sampling.vllm.url=http://n:8000")
SPEC = (
    "algorithm.group_size=16", "algorithm.keep=8", "algorithm.filters=[length]", "batch.micro_batch=1",
    "data.max_prompt_tokens=512", "sampling.max_tokens=2048",
)  # fmt: skip
GPUS = (1, 8, 16, 128)


def plans(folder, size, *more):
    (folder / "config.json").write_text(json.dumps(QWEN | SIZES[size]))
    for gpus in GPUS:
        overrides = [*SPEC, f"model.name={folder}", f"batch.prompts_per_step={4 * gpus}", *more]
        yield as_record(plan_run(SpecSources(overrides=overrides), gpus))


def row(title):
    """The cells of the row of a table that has `title`, its figures alone."""
    line = next(line for line in PAGE.splitlines() if line.startswith("|") and title in line)
    return line.strip("| ").split(" | ")[-4:]


@pytest.mark.parametrize(
    ("title", "size", "more", "when"),
    [
        ("gpo's loop: sampling", "0.6B", (), "while_sampling"),
        ("| | training", "0.6B", (), "while_training"),
        ("LoRA rank 32", "8B", (*SERVER, "model.lora.rank=32", "model.dtype=bfloat16"), "while_training"),
        ("8B, all weights", "8B", SERVER, "while_training"),
    ],
)
def test_memory_is_that_of_the_plan(title, size, more, when, tmp_path):
    assert row(title) == [f"{plan['memory'][when] / 2**30:.1f}" for plan in plans(tmp_path, size, *more)]


def test_tokens_are_those_of_the_plan(tmp_path):
    tokens = [plan["tokens"] for plan in plans(tmp_path, "0.6B")]
    assert row("tokens sampled") == [f"{one['sampled_per_step_at_most']:,}" for one in tokens]
    assert row("tokens trained") == [f"{one['trained_per_step_at_most']:,}" for one in tokens]


def test_times_are_bytes_by_bandwidth(tmp_path):
    small = next(plans(tmp_path, "0.6B"))["memory"]["parameters"]
    lora = next(plans(tmp_path, "8B", "model.lora.rank=32"))["memory"]
    sent = (2 * small, 8 * small, 2 * lora["parameters"], 8 * lora["parameters"], 8 * lora["trained_parameters"])
    for link, rate in {"NVLink": 400e9, "InfiniBand": 50e9, "Ethernet": 12.5e9}.items():
        line = next(line for line in PAGE.splitlines() if line.startswith(f"| {link}"))
        assert line.strip("| ").split(" | ")[1:] == [f"{size / rate:.3f}" for size in sent]
    assert f"| shared disk, 2 | {sent[0] / 2e9:.3f} | | {sent[2] / 2e9:.3f} | | |" in PAGE


def scripts(value):
    """The texts in a file that start gpo."""
    if isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from scripts(inner)
    elif isinstance(value, str) and "gpo launch" in value:
        yield value


@pytest.mark.parametrize("example", EXAMPLES, ids=[example.stem for example in EXAMPLES])
def test_an_example_starts_what_is_there(example, tmp_path):
    (script,) = scripts(list(YAML(typ="safe").load_all(example.read_text(encoding="utf-8"))))
    stub = tmp_path / "gpo"  # prints the command in place of starting it
    stub.write_text(f'#!/bin/bash\nexec "{sys.executable}" -m gpocli launch --print "${{@:2}}"\n')
    stub.chmod(0o755)
    given = {"SKYPILOT_NODE_IPS": "10.0.0.1\n10.0.0.2", "SKYPILOT_NUM_NODES": "2", "SKYPILOT_NUM_GPUS_PER_NODE": "8"}
    environment = os.environ | given | {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    done = subprocess.run(["bash", "-euc", script], env=environment, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert re.search(r"--nproc-per-node 8 --nnodes 2 .*-m gpocli train gfpo run.yaml --out \S*gfpo\n", done.stdout)
    # as it starts again
    out = re.search(r"--out (\S+)", done.stdout)[1]
    (tmp_path / out).mkdir(parents=True)
    (tmp_path / out / "spec.yaml").touch()
    done = subprocess.run(["bash", "-euc", script], env=environment, cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout.endswith(" --resume\n")


def test_links_lead_somewhere():
    for target in re.findall(r"\]\((?!http)([^)#]+)\)", PAGE):
        assert (ROOT / "docs" / target).exists(), target
