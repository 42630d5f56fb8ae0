"""Make the embedded model from nothing: `python -m examples.embedded_model.make_model OUT [--seed 0]`.

Supervised training on traces (traces.py) of the train split, then a measurement on the eval split. Everything
follows from the seed: the same machine and versions give the same weights, another machine the same figures.
"""

import json
import logging
import platform
import random
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import tokenizers
import torch
import transformers
from transformers import GenerationConfig, PreTrainedTokenizerBase, Qwen3Config, Qwen3ForCausalLM

from examples.embedded_model.measure import measure
from examples.embedded_model.tokenizer import ASSISTANT, CONTEXT, USER, build_tokenizer
from examples.embedded_model.traces import Habits, trace
from gpocli.embedded.task import Sum, sums

log = logging.getLogger(__name__)

IGNORED = -100
"""Label of a position that the loss leaves out."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """The supervised training."""

    steps: int = 2400
    tokens: int = 2048
    """Tokens in a step at most, padding included."""
    learning_rate: float = 3e-3
    """Peak; rises over the first tenth of the steps, then falls by a cosine."""
    weight_decay: float = 0.01
    clip: float = 1.0
    """Largest gradient norm."""
    longest: int = 320
    """Tokens; longer traces are skipped, they would fill the batch with padding."""
    plain_share: float = 0.2
    """Of rows whose prompt is the bare question, so that the model takes plain prompts as well as chat."""
    pool: int = 256
    """Traces drawn together and sorted by length: rows of like length share a batch, with little padding."""
    habits: Habits = field(default_factory=Habits)
    """How the traces are written."""


@dataclass(frozen=True, slots=True)
class Example:
    """One row of supervised training, as token ids."""

    prompt: list[int]
    completion: list[int]

    def __len__(self) -> int:
        return len(self.prompt) + len(self.completion)


def build_model(tokenizer: PreTrainedTokenizerBase) -> Qwen3ForCausalLM:
    """A Qwen3 model of 0.6 million parameters, with random weights from torch's global generator."""
    config = Qwen3Config(
        vocab_size=len(tokenizer),
        hidden_size=128,
        intermediate_size=384,
        num_hidden_layers=3,
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=32,
        max_position_embeddings=CONTEXT,
        tie_word_embeddings=True,
        bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    model = Qwen3ForCausalLM(config)
    model.generation_config = GenerationConfig(eos_token_id=tokenizer.eos_token_id, pad_token_id=tokenizer.pad_token_id)
    return model


def encode(problem: Sum, tokenizer: PreTrainedTokenizerBase, rng: random.Random, recipe: Recipe) -> Example:
    """One problem with a trace of its own, its prompt in chat form or plain."""
    plain = rng.random() < recipe.plain_share
    prompt = problem.question if plain else f"{USER}{problem.question}{ASSISTANT}"
    completion = tokenizer(trace(problem, rng, recipe.habits))["input_ids"] + [tokenizer.eos_token_id]
    return Example(tokenizer(prompt)["input_ids"], completion)


def batches(tokenizer: PreTrainedTokenizerBase, rng: random.Random, recipe: Recipe) -> Iterator[list[Example]]:
    """Batches of at most `recipe.tokens` tokens without end, each of like lengths, in random order."""
    problems = sums("train", rng)
    while True:
        pool: list[Example] = []
        while len(pool) < recipe.pool:
            example = encode(next(problems), tokenizer, rng, recipe)
            if len(example) <= recipe.longest:
                pool.append(example)
        cut: list[list[Example]] = [[]]
        for example in sorted(pool, key=len):
            if len(example) * (len(cut[-1]) + 1) > recipe.tokens:
                cut.append([])
            cut[-1].append(example)
        rng.shuffle(cut)
        yield from cut


def collate(batch: list[Example], pad: int) -> dict[str, torch.Tensor]:
    """Right-padded `input_ids`, `attention_mask` and `labels` [B, T]; only completions are learned."""
    width = max(map(len, batch))
    ids, mask, labels = [], [], []
    for example in batch:
        padding = width - len(example)
        ids.append([*example.prompt, *example.completion, *[pad] * padding])
        mask.append([1] * len(example) + [0] * padding)
        labels.append([*[IGNORED] * len(example.prompt), *example.completion, *[IGNORED] * padding])
    return {
        "input_ids": torch.tensor(ids),
        "attention_mask": torch.tensor(mask),
        "labels": torch.tensor(labels),
    }


def train(seed: int, recipe: Recipe) -> tuple[Qwen3ForCausalLM, PreTrainedTokenizerBase, list[float]]:
    """The trained model, its tokenizer, and the loss (nats a token) of every step."""
    torch.manual_seed(seed)
    rng, tokenizer = random.Random(seed), build_tokenizer()
    model = build_model(tokenizer).train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=recipe.learning_rate, weight_decay=recipe.weight_decay)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, recipe.learning_rate, total_steps=recipe.steps, pct_start=0.1
    )
    losses: list[float] = []
    for batch, step in zip(batches(tokenizer, rng, recipe), range(recipe.steps), strict=False):
        loss = model(**collate(batch, tokenizer.pad_token_id)).loss
        # Every token weighs the same, in whichever batch its length has put it: else long traces would be unlearned.
        share = sum(len(example.completion) for example in batch) / recipe.tokens
        optimizer.zero_grad()
        (loss * share).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), recipe.clip)
        optimizer.step()
        schedule.step()
        losses.append(loss.item())
        if step % 100 == 0:
            log.info("step %d of %d, loss %.4f", step, recipe.steps, losses[-1])
    return model.eval(), tokenizer, losses


def figures(model: Qwen3ForCausalLM, tokenizer: PreTrainedTokenizerBase, seed: int) -> dict[str, Any]:
    """What the model reached, with what it was made."""
    return {
        "seed": seed,
        "parameters": model.num_parameters(),
        "chat": asdict(measure(model, tokenizer, kind="chat")),
        "plain": asdict(measure(model, tokenizer, kind="plain")),
        "versions": {
            "python": platform.python_version(),
            "torch": torch.__version__,
            "transformers": transformers.__version__,
            "tokenizers": tokenizers.__version__,
        },
    }


def make(out: Path, seed: int = 0, recipe: Recipe | None = None) -> dict[str, Any]:
    """Train, measure, and write the model, the tokenizer and `figures.json` to `out`; gives the figures back."""
    recipe = recipe or Recipe()
    started = time.perf_counter()
    model, tokenizer, losses = train(seed, recipe)
    seconds = round(time.perf_counter() - started)
    model.save_pretrained(out)
    tokenizer.save_pretrained(out)
    reached = {
        **figures(model, tokenizer, seed),
        "recipe": asdict(recipe),
        "last_losses": round(sum(losses[-100:]) / len(losses[-100:]), 4),
        "training_seconds": seconds,
    }
    (out / "figures.json").write_text(json.dumps(reached, indent=2) + "\n", encoding="utf-8")
    return reached
