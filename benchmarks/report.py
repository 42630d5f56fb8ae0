"""benchmarks/README.md from the results."""

import statistics
from pathlib import Path
from typing import Any

_HEAD = """# gpo against TRL

Written by `make bench`. Each figure is a ratio of medians of two jobs that ran in turn, each in its own process, on
the same model, prompts, sampling settings and micro-batch; threads: {threads}, on a CPU. The embedded model has 0.6M
parameters and writes about 89 tokens; the mid-size model has {millions:.0f}M random parameters and completions of
geometric length, about 100 tokens on average, limit 512. The learning rate is 1e-12, so that the work stays the same.
torch {torch}, transformers {transformers}, trl {trl}; TRL 1.7.1, the last with a GFPO trainer, runs with transformers
below 5.13.

| figure | ratio | must reach | |
| --- | --- | --- | --- |
"""


def write_report(results: dict[str, Any], path: Path) -> None:
    """Write the page; `results` is what `python -m benchmarks` measured."""
    machine = results["machine"]
    text = _HEAD.format(millions=machine["mid_size_parameters"] / 1e6, **machine)
    for row in results["figures"]:
        bound, verdict = "", ""
        if row["target"] is not None:
            bound = f"{'at least' if row['at_least'] else 'at most'} {row['target']}"
            verdict = "met" if row["met"] else "**missed**"
        text += f"| {row['figure']} | {row['ratio']:.2f} | {bound} | {verdict} |\n"
    text += _memory(results["figures"]) + _seconds(results["figures"]) + _curve(results["curve"])
    text += _messages(results["first_messages"])
    notes = path.parent / "notes.md"
    if notes.exists():
        text += "\n" + notes.read_text()
    path.write_text(text)


def _memory(figures: list[dict[str, Any]]) -> str:
    """The peak memory of the mid-size GFPO steps, of the whole process."""
    for row in figures:
        if "mid-size, beta 0:" in row["figure"]:
            theirs = statistics.median(job["memory_mb"] for job in row["over"])
            ours = statistics.median(job["memory_mb"] for job in row["under"])
            verdict = "met" if ours / theirs <= 0.55 else "**missed**"
            return (
                f"| peak memory of a GFPO step, mid-size, whole process: gpo ({ours:.0f} MB) / "
                f"TRL 1.7.1 ({theirs:.0f} MB) | {ours / theirs:.2f} | at most 0.55 | {verdict} |\n"
            )
    return ""


def _seconds(figures: list[dict[str, Any]]) -> str:
    text = "\n## Seconds\n\n| figure | over | under |\n| --- | --- | --- |\n"
    for row in figures:
        if "median" in row["over"][0]:
            over, under = (statistics.median(job["median"] for job in row[side]) for side in ("over", "under"))
            text += f"| {row['figure']} | {over:.2f} | {under:.2f} |\n"
    return text


def _curve(curve: list[dict[str, Any]]) -> str:
    text = "\n## GFPO with k = 8 against G, embedded model, 8 prompts\n\n"
    text += (
        "| G | step, race on | step, race off | tokens, race on | tokens, race off |\n| --- | --- | --- | --- | --- |\n"
    )
    for size in sorted({row["group_size"] for row in curve}):
        on, off = (next(r for r in curve if r["group_size"] == size and r["race"] is race) for race in (True, False))
        text += (
            f"| {size} | {on['seconds']:.2f} s | {off['seconds']:.2f} s | {on['tokens']:.0f} | {off['tokens']:.0f} |\n"
        )
    return text


def _messages(rows: list[dict[str, Any]]) -> str:
    text = "\n## Time to the first message for ten mistakes\n\n"
    text += "Seconds until the command ended, and the lines on stderr.\n\n"
    text += "| mistake | `trl grpo` | lines | `gpo train gfpo` | lines |\n| --- | --- | --- | --- | --- |\n"
    for row in rows:
        theirs, ours = row["trl"], row["gpo"]
        stopped = f"{theirs['seconds']:.1f} s" + (" (still running)" if theirs["exit_code"] is None else "")
        stopped += " (exit 0)" if theirs["exit_code"] == 0 else ""
        text += f"| {row['mistake']} | {stopped} | {theirs['lines']} | {ours['seconds']:.2f} s | {ours['lines']} |\n"
    return text
