"""What is measured: each figure is a ratio of medians of two jobs that run in turn."""

from dataclasses import dataclass
from typing import Any

EMBEDDED_LIMIT, MID_LIMIT = 256, 512
SHOWN = {"embedded": "embedded", "mid": "mid-size"}
EMBEDDED_TEXTS = [f"{a}+{b}=?" for a, b in [(12, 345), (678, 90), (1234, 567), (89, 1011), (222, 33), (456, 789)]]


@dataclass(frozen=True)
class Job:
    """One side of a figure: which environment ("gpo", "trl" or "old_trl"), which worker, and its task."""

    environment: str
    worker: str
    task: dict[str, Any]


@dataclass(frozen=True)
class Figure:
    """`name` in the table; the ratio is `value` of job `over` divided by that of job `under`.

    Without a `target` it is for information.
    """

    name: str
    over: Job
    under: Job
    target: float | None
    at_least: bool = True
    value: str = "median"
    turns: int = 4


def step(environment: str, algorithm: str, model: str, **task: Any) -> Job:
    """Training steps; sizes in prompts, G, k and completions trained on at a time."""
    is_mid = model == "mid"
    limit = MID_LIMIT if is_mid else EMBEDDED_LIMIT
    defaults = {
        "steps": 1 if is_mid else 6,
        "warmup": 0 if is_mid else 1,
        # Of the rows that a step trains on: what gpo takes by default, and little enough for the larger model.
        "micro_batch": 4 if is_mid else 16,
        "updates": 1,
        "beta": 0.0,
        "limit": limit,
    }
    library = "gpo" if environment == "gpo" else "trl"
    given = defaults | task | {"library": library, "algorithm": algorithm, "model": model}
    return Job(environment, "step_worker", given)


def rollout(kind: str, model: str, **task: Any) -> Job:
    """Sampling alone."""
    limit = MID_LIMIT if model == "mid" else EMBEDDED_LIMIT
    return Job("gpo", "rollout_worker", {"kind": kind, "model": model, "limit": limit, **task})


def gfpo_against_old_trl(name: str, model: str, prompts: int, target: float, beta: float = 0.0) -> Figure:
    sizes = {"prompts": prompts, "group_size": 16, "keep": 4, "beta": beta}
    jobs = step("old_trl", "gfpo", model, **sizes), step("gpo", "gfpo", model, **sizes)
    return Figure(name, *jobs, target, turns=2 if model == "mid" else 12)


def turns_of(model: str) -> int:
    """Steps of the larger model take up to a minute, and vary less."""
    return 2 if model == "mid" else 4


_GFPO_4_16 = {"prompts": 8, "group_size": 16, "keep": 4}
_GRPO_4 = {"prompts": 8, "group_size": 4, "keep": 4}
_GMPO_8 = {"group_size": 8, "keep": 8}

FIGURES = [
    gfpo_against_old_trl("GFPO step, 8 prompts, 4/16, length, embedded: TRL 1.7.1 / gpo", "embedded", 8, 12),
    gfpo_against_old_trl("GFPO step, 4 prompts, 4/16, length, mid-size, beta 0: TRL 1.7.1 / gpo", "mid", 4, 10),
    gfpo_against_old_trl(
        "GFPO step, 4 prompts, 4/16, length, mid-size, beta 0.04: TRL 1.7.1 / gpo", "mid", 4, 10, 0.04
    ),
    Figure(
        "GFPO 4/16 in gpo / GRPO 4/4 in TRL 1.16, 8 prompts, embedded",
        step("gpo", "gfpo", "embedded", **_GFPO_4_16),
        step("trl", "grpo", "embedded", **_GRPO_4),
        0.33,
        at_least=False,
    ),
    Figure(
        "GFPO 8/24 / GRPO 8/8, both in gpo, 8 prompts, embedded",
        step("gpo", "gfpo", "embedded", prompts=8, group_size=24, keep=8),
        step("gpo", "grpo", "embedded", prompts=8, group_size=8, keep=8),
        1.0,
        at_least=False,
    ),
    *(
        Figure(
            f"GMPO step, {prompts} prompts, G = 8, {SHOWN[model]}{more}: TRL 1.16 / gpo",
            step("trl", "gmpo", model, prompts=prompts, updates=updates, steps=steps, micro_batch=8, **_GMPO_8),
            step("gpo", "gmpo", model, prompts=prompts, updates=updates, steps=steps, micro_batch=8, **_GMPO_8),
            2.5 if updates == 1 else None,
            turns=turns_of(model),
        )
        for model, prompts, updates, steps, more in [
            ("embedded", 8, 1, 6, ""),
            ("mid", 4, 1, 1, ""),
            ("embedded", 8, 8, 17, ", 8 updates a generation batch"),
        ]
    ),
    *(
        Figure(
            f"rollout alone, 16 prompts, G = 16, no race, {SHOWN[model]}: generate / gpo",
            rollout("rollout", model, prompts=16, group_size=16, turns=turns),
            rollout("rollout", model, prompts=16, group_size=16, turns=turns),
            8,
            value="rollout",
            turns=1,
        )
        for model, turns in [("embedded", 7), ("mid", 1)]
    ),
    Figure(
        "decoding of the mid-size model, 4 prompts, G = 16: gpo / bare forward passes of the live rows",
        rollout("decode", "mid", prompts=4, group_size=16, turns=1),
        rollout("decode", "mid", prompts=4, group_size=16, turns=1),
        1.15,
        at_least=False,
        value="decode",
        turns=2,
    ),
]

CURVE_SIZES = (8, 16, 32, 64)


def curve_jobs() -> list[tuple[int, bool, Job]]:
    """GFPO steps of the embedded model at k = 8: group size, race, job. k = G has no filter to race for."""
    return [
        (size, race, step("gpo", "gfpo", "embedded", prompts=8, group_size=size, keep=8, race=race, steps=4))
        for size in CURVE_SIZES
        for race in (True, False)
    ]
