"""An evaluation put together before a model is loaded: whom to ask what, and how the answers are judged."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from gpocli import __version__
from gpocli.asking.source import Asked, find_asked, was_trained_on_chats
from gpocli.data import Rows
from gpocli.embedded import model_folder
from gpocli.evaluation.weights import fingerprint
from gpocli.measuring.prompts import Wanted, rows_of
from gpocli.measuring.rewards import Rewards, build_rewards
from gpocli.settings.data import DataSpec
from gpocli.spec.layer import Assignment, Place

_HOW = ("temperature", "top_p", "top_k", "min_p", "repetition_penalty", "max_tokens")
"""The settings by which answers are drawn."""


@dataclass(frozen=True, slots=True)
class Plan:
    """`samples` answers of one model to each of the rows, drawn with `seed`, and the rewards that judge them."""

    asked: Asked
    data: DataSpec
    rows: Rows
    rewards: Rewards
    samples: int
    seed: int
    chat: bool | None
    """Whether text is asked as a user's message; None: where the model has a chat template."""

    @property
    def sampling(self) -> dict[str, Any]:
        """How answers are drawn."""
        return {name: getattr(self.asked.spec.sampling, name) for name in _HOW}

    @property
    def step(self) -> int | None:
        """The step of the checkpoint that is asked; None for a final model, and for one that is of no run."""
        last = Path(self.asked.name).name
        is_one = self.asked.run is not None and last.startswith("checkpoint-")
        return int(last.removeprefix("checkpoint-")) if is_one else None

    def facts(self) -> dict[str, Any]:
        """What `evaluation.json` says of it before it begins."""
        return {
            "model": self.asked.name,
            "of_run": self.asked.run is not None,
            "step": self.step,
            "data": {
                "source": self.data.source,
                "split": self.data.split,
                "prompts": len(self.rows),
                "digest": _digest([*self.rows]),
            },
            "samples": self.samples,
            "seed": self.seed,
            "sampling": self.sampling,
            "weights": weights(self.asked),
            "rewards": self.rewards.identity,
            "right": self.rewards.right,
        }

    def folder(self, parent: Path | None = None) -> Path:
        """Where it is recorded: with its run, else in `evaluations`. Anything else than the same has another name."""
        run = self.asked.run
        whole = {**self.facts(), "chat": self.chat, "gpo": __version__}
        whole["asked"] = [self.asked.spec.data.system, self.asked.spec.data.chat, self.asked.template_options]
        del whole["model"], whole["right"]  # another name of the same, and another look at it
        place = parent or (Path("evaluations") if run is None else run.evaluations_path)
        return place / f"{self._label()}-{_stem(self.data.source)}-{_digest(whole)[:8]}"

    def _label(self) -> str:
        if self.asked.run is None:
            return _stem(self.asked.name)
        return "final" if self.step is None else f"checkpoint-{self.step}"


def make_plan(
    asked: Asked, wanted: Wanted, rewards: Sequence[str], right: str | None, *, samples: int, seed: int
) -> Plan:
    """The evaluation of a model. Raises SpecError, EnvironmentFault and PluginError before any model is loaded."""
    data, rows = rows_of(asked, wanted)
    spec = asked.spec
    own = spec.rewards if asked.run is None else asked.run.spec.rewards
    built = build_rewards(own, rewards, right, spec.sampling.max_tokens, rows)
    return Plan(asked, data, rows, built, samples, seed, was_trained_on_chats(asked.run))


def beside(plan: Plan, name: str, flag: str) -> Plan:
    """The same of another model: the same prompts in the same form, drawn in the same way with the same seeds.

    Raises as `find_asked` does.
    """
    spec, place = plan.asked.spec, Place(flag)
    same = [Assignment(f"sampling.{one}", value, place) for one, value in plan.sampling.items()]
    same += [Assignment(f"data.{one}", getattr(spec.data, one), place) for one in ("system", "chat")]
    if plan.asked.template_options:
        same.append(Assignment("trl.chat_template_kwargs", dict(plan.asked.template_options), place))
    return replace(plan, asked=find_asked(name, (), same))


def weights(asked: Asked) -> str:
    """What tells a model from another of that name: a digest of its files, or name and revision of a hub id."""
    return fingerprint(model_folder(asked.name)) or f"{asked.name}@{asked.spec.model.revision or 'main'}"


def _digest(value: Sequence[Mapping[str, Any]] | Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True, default=str).encode()).hexdigest()


def _stem(name: str) -> str:
    """A name as part of a folder's name: `Qwen/Qwen3-0.6B` as `Qwen3-0.6B`."""
    stem = Path(name).stem if Path(name).suffix in (".jsonl", ".json", ".csv", ".tsv", ".parquet") else Path(name).name
    return "".join(one if one.isalnum() or one in "-_." else "-" for one in stem).strip("-.") or "data"
