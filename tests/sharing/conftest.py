"""Run directories as runs leave them, with real weights of a tiny model."""

import json
import shutil
from pathlib import Path

import pytest

from gpocli.runs.run import Run
from gpocli.spec import RunSpec
from gpocli.spec.dump import dump_spec


def write_run(folder: Path, model: dict, fill) -> Run:
    """A finished run of two steps in `folder`; `fill` writes the final model."""
    spec = {
        "algorithm": {"type": "gfpo", "group_size": 4, "keep": 2},
        "model": model,
        "data": {"source": "/home/me/train.jsonl"},
        "run": {"dir": str(folder), "steps": 2},
    }
    folder.mkdir()
    (folder / "spec.yaml").write_text(dump_spec(RunSpec.model_validate(spec)))
    lines = [{"step": step, "kind": "train", "reward": step / 2} for step in (1, 2)]
    (folder / "metrics.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    fill(folder / "model")
    for name in ("training_args.bin", "optimizer.pt", "trainer_state.json"):
        (folder / "model" / name).write_text("/home/me")
    return Run(folder)


@pytest.fixture
def whole_run(tiny_model, tmp_path) -> Run:
    """A run that trained all weights."""
    return write_run(tmp_path / "whole", {"name": tiny_model}, lambda model: shutil.copytree(tiny_model, model))


@pytest.fixture
def lora_run(tiny_model, tmp_path) -> Run:
    """A run that trained an adapter, which is not nought."""
    import torch
    from peft import LoraConfig, get_peft_model
    from transformers import AutoModelForCausalLM, AutoTokenizer

    def fill(folder: Path) -> None:
        torch.manual_seed(0)
        base = AutoModelForCausalLM.from_pretrained(tiny_model)
        config = LoraConfig(target_modules=["q_proj", "v_proj"], task_type="CAUSAL_LM", init_lora_weights=False)
        get_peft_model(base, config).save_pretrained(folder)
        AutoTokenizer.from_pretrained(tiny_model).save_pretrained(folder)

    return write_run(tmp_path / "lora", {"name": tiny_model, "lora": {"rank": 8}}, fill)
