"""Samples with vLLM's engine, with a race and without, in turn: `vllm_worker.py JSON` prints one JSON object."""

import json
import statistics
import sys
import time

from vllm import LLM, SamplingParams

from gpocli.rollout import Race, SamplingRequest, SamplingSettings
from gpocli.rollout.vllm import generate_groups


def by_length(keep):
    return Race(keep, lambda row, ids, finished: (-float(len(ids)),), lambda length: (-float(length + 1),))


def kept(board, size, keep):
    """The shortest `keep` ended rows of each group."""
    rows = range(len(board.finished))
    ended = [[(len(board.completion_ids[r]), r) for r in rows[i : i + size] if board.finished[r]] for i in rows[::size]]
    return [sorted(group)[:keep] for group in ended]


def main(task):
    llm = LLM(
        task["model"], dtype="float32", max_model_len=1024, enforce_eager=True, max_num_seqs=256, disable_log_stats=True
    )
    tokenizer = llm.get_tokenizer()
    prompts = [tokenizer(text)["input_ids"] for text in task["texts"]]
    end = tokenizer.eos_token_id
    settings = SamplingSettings(max_new_tokens=task["limit"], eos_token_ids=(end,), pad_token_id=0)
    params = SamplingParams(max_tokens=task["limit"], logprobs=0)

    def sample(keep, size, seed, race):
        request = SamplingRequest(prompts, size, settings, seed, race=by_length(keep) if race else None)
        board = request.board()
        rows = range(len(prompts) * size)
        tokens = [{"prompt_token_ids": prompts[row // size]} for row in rows]
        seeds = [request.row_seed(row) for row in rows]
        llm.reset_prefix_cache()
        started = time.perf_counter()
        _, count = generate_groups(llm.llm_engine, tokens, params, board, seeds, (end,))
        return time.perf_counter() - started, count, kept(board, size, keep)

    sample(4, 16, 99, True)  # warm
    results = []
    for keep, size in task["sizes"]:
        runs = [(sample(keep, size, turn, False), sample(keep, size, turn, True)) for turn in range(task["turns"])]
        row = {"keep": keep, "group_size": size, "same_kept": all(full[2] == raced[2] for full, raced in runs)}
        for name, side in (("full", 0), ("race", 1)):
            row[name] = {
                "seconds": statistics.median(run[side][0] for run in runs),
                "tokens": statistics.mean(run[side][1].tokens for run in runs),
                "engine_steps": statistics.mean(run[side][1].steps for run in runs),
            }
        results.append(row)
    return {"sizes": results}


if __name__ == "__main__":
    print(json.dumps(main(json.loads(sys.argv[1]))))
