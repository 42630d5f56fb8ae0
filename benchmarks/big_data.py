"""`python -m benchmarks.big_data`: the memory that rows take, from a file to the batches of a trainer.

Each file is read by a process of its own, which says how far its memory rose above that of its libraries (torch among
them): read and checked, counted by the tokenizer of the embedded model, and handed to a trainer's data loader.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.environments import ROOT

ROWS = (20_000, 200_000, 2_000_000)


def main() -> None:
    """Measure files of so many rows and print a line of a table for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="*", default=ROWS)
    parser.add_argument("--read", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.read:
        print(json.dumps(_read(chosen.read)))
        return
    print("| rows | file, MB | memory above the libraries, MB | seconds |\n| --- | --- | --- | --- |")
    for rows in chosen.rows:
        with tempfile.TemporaryDirectory() as folder:
            size = _write(Path(folder) / "rows.jsonl", rows)
            peak, seconds = measured(Path(folder) / "rows.jsonl")
        print(f"| {rows:,} | {size / 1e6:,.0f} | {peak / 1e6:,.0f} | {seconds:,.0f} |", flush=True)


def measured(file: Path) -> tuple[int, float]:
    """Bytes by which the memory of a process that reads `file` rises above that of its libraries, and seconds."""
    command = [sys.executable, "-W", "ignore", "-m", "benchmarks.big_data", "--read", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=True)
    peak, seconds = json.loads(done.stdout.splitlines()[-1])
    return peak, seconds


def _write(file: Path, rows: int) -> int:
    with file.open("w", encoding="utf-8") as text:
        for number in range(rows):
            # As wordy as a question of GSM8K's, and told apart by their numbers.
            story = f"Ann has {number} apples and gives {number % 7} of them to each of her friends. " * 2
            row = {
                "prompt": f"{story}How many are left?",
                "answer": str(number),
                "meta": {"source": "made up", "n": number},
            }
            text.write(json.dumps(row) + "\n")
    return file.stat().st_size


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _read(file: str) -> tuple[int, float]:
    import datasets  # noqa: F401
    import torch  # noqa: F401
    import trl  # noqa: F401
    from torch.utils.data import DataLoader

    from gpocli.data.load import load_rows
    from gpocli.data.token_counts import count_tokens
    from gpocli.data.tokenizer import light_tokenizer
    from gpocli.embedded import MODEL_PATH
    from gpocli.settings.data import DataSpec
    from gpocli.training.dataset import to_dataset

    tokenizer = light_tokenizer(MODEL_PATH)
    assert tokenizer is not None
    before, started = _peak(), time.perf_counter()
    rows = load_rows(DataSpec(source=file))
    tokens = count_tokens(rows, tokenizer, limit=512)
    assert len(tokens.tokens) == len(rows)
    for number, _ in enumerate(DataLoader(to_dataset(rows), batch_size=32, shuffle=True, collate_fn=list)):
        if number == 100:
            break
    return _peak() - before, time.perf_counter() - started


if __name__ == "__main__":
    main()
