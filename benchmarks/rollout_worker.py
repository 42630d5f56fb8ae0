"""Times sampling alone: `rollout_worker.py JSON` prints one JSON object."""

import json
import os
import statistics
import sys
import time

os.environ["HF_HUB_OFFLINE"] = "1"

import torch
import transformers
from transformers import AutoModelForCausalLM, AutoTokenizer, DynamicCache, GenerationConfig

from gpocli.rollout import SamplingRequest, SamplingSettings, sample_groups

transformers.utils.logging.set_verbosity_error()
transformers.utils.logging.disable_progress_bar()


def timed(call):
    started = time.perf_counter()
    result = call()
    return time.perf_counter() - started, result


@torch.no_grad()
def rollout_against_generate(task):
    """The same prompts and settings, no race: all candidates to their end. In turn, medians."""
    model, tokenizer = AutoModelForCausalLM.from_pretrained(task["model"]), AutoTokenizer.from_pretrained(task["model"])
    prompts, group_size, limit = (
        [tokenizer(text)["input_ids"] for text in task["texts"]],
        task["group_size"],
        task["limit"],
    )
    end = model.generation_config.eos_token_id
    settings = SamplingSettings(max_new_tokens=limit, eos_token_ids=(end,), pad_token_id=0)
    width = max(map(len, prompts))
    ids = torch.tensor([[0] * (width - len(prompt)) + prompt for prompt in prompts]).repeat_interleave(group_size, 0)
    mask = torch.tensor([[0] * (width - len(p)) + [1] * len(p) for p in prompts]).repeat_interleave(group_size, 0)
    config = GenerationConfig(max_new_tokens=limit, do_sample=True, eos_token_id=end, pad_token_id=0, top_k=0)
    ours, theirs, lengths = [], [], []
    for turn in range(task["turns"]):
        torch.manual_seed(turn)
        seconds, _ = timed(lambda: model.generate(input_ids=ids, attention_mask=mask, generation_config=config))
        theirs.append(seconds)
        seconds, rollout = timed(
            lambda turn=turn: sample_groups(model, SamplingRequest(prompts, group_size, settings, seed=turn))
        )
        ours.append(seconds)
        lengths += map(len, rollout.completion_ids)
    return {
        "generate": statistics.median(theirs),
        "gpo": statistics.median(ours),
        "mean_length": statistics.mean(lengths),
    }


@torch.no_grad()
def decode_against_forward(task):
    """gpo's decoding against the bare forward passes of the rows that were live, over caches of the same length."""
    model, tokenizer = AutoModelForCausalLM.from_pretrained(task["model"]), AutoTokenizer.from_pretrained(task["model"])
    model.eval()
    prompts, group_size, limit = (
        [tokenizer(text)["input_ids"] for text in task["texts"]],
        task["group_size"],
        task["limit"],
    )
    end = model.generation_config.eos_token_id
    settings = SamplingSettings(max_new_tokens=limit, eos_token_ids=(end,), pad_token_id=0)
    ratios = []
    for turn in range(task["turns"]):
        seconds, rollout = timed(
            lambda turn=turn: sample_groups(model, SamplingRequest(prompts, group_size, settings, seed=turn))
        )
        lengths = sorted(map(len, rollout.completion_ids))
        bare = bare_forwards(model, prompts, group_size, lengths)
        ratios.append(seconds / bare)
    return {"ratio": statistics.median(ratios), "ratios": ratios}


def bare_forwards(model, prompts, group_size, lengths):
    """Seconds of the forward passes alone: the prefill, then one pass a token of the rows that still run.

    The longest rows come first, so that dropping the rest is a plain slice, whose time is not counted.
    """
    width = max(map(len, prompts))
    ids = torch.tensor([prompt + [3] * (width - len(prompt)) for prompt in prompts])
    cache = DynamicCache(config=model.config)
    seconds, _ = timed(lambda: model(input_ids=ids, past_key_values=cache, use_cache=True, logits_to_keep=1))
    cache.batch_repeat_interleave(group_size)
    rows = len(prompts) * group_size
    for token in range(1, lengths[-1]):
        live = sum(length > token for length in lengths)
        if live < rows:
            cache.batch_select_indices(torch.arange(live))
            rows = live
        step = torch.full((rows, 1), 5)
        spent, _ = timed(
            lambda step=step: model(input_ids=step, past_key_values=cache, use_cache=True, logits_to_keep=1)
        )
        seconds += spent
    return seconds


if __name__ == "__main__":
    task = json.loads(sys.argv[1])
    torch.set_num_threads(task["threads"])
    print(json.dumps({"rollout": rollout_against_generate, "decode": decode_against_forward}[task["kind"]](task)))
