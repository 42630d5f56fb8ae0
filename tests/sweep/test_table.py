"""The table of a sweep, from what its runs recorded."""

import json

from gpocli.sweep.runner import Result
from gpocli.sweep.table import records, rows


def test_a_row_tells_reward_and_length_at_both_ends(plan):
    one, other = plan(seeds=2)
    one.run.path.mkdir(parents=True)
    lines = [
        {"step": step, "kind": "train", "reward": step / 4, "completions/mean_length": 10.0 * step} for step in (1, 2)
    ]
    one.run.metrics_path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    results = [Result(one, "done", 0), Result(other, "failed", 3, "why")]
    assert rows(results) == [
        ["seed-0", "done", "2", "0.250", "0.500", "10.0", "20.0"],
        ["seed-1", "failed (3)", "0", "-", "-", "-", "-"],
    ]
    assert records(results)[1] == {
        "name": "seed-1",
        "path": "sweeps/s/seed-1",
        "values": {"run.seed": "1"},
        "outcome": "failed",
        "exit_code": 3,
        "reason": "why",
        "steps": 0,
        "reward_first": None,
        "reward_last": None,
        "length_first": None,
        "length_last": None,
    }
