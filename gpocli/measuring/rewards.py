"""The rewards of an evaluation: those of the run, or others, and which of them tells what is right."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gpocli.contracts.reward import checked_rewards
from gpocli.contracts.reward_call import RewardRules
from gpocli.data import Rows
from gpocli.data.required import require_columns
from gpocli.errors import SpecError
from gpocli.evaluation.grader import right_reward
from gpocli.plugin_manager import PluginHost, load_plugins
from gpocli.replay.paid import Pay
from gpocli.settings.reward import RewardSpec, read_rewards


@dataclass(frozen=True, slots=True)
class Rewards:
    """Rewards that are built, the one that tells what is right, and what tells them from others."""

    pay: Pay
    right: str
    identity: list[dict[str, Any]]


def build_rewards(
    own: Sequence[RewardSpec], wanted: Sequence[str], right: str | None, max_tokens: int, rows: Rows
) -> Rewards:
    """The rewards `wanted`, else those that the spec has, `own`, whose options a wanted one of that name takes.

    Raises SpecError for a column that one needs and the rows lack, and PluginError for what cannot be built.
    """
    host = load_plugins()
    options = {one.name: one.options for one in own}
    chosen = [RewardSpec.model_validate(one) for one in _read(wanted)] if wanted else own
    given = [_limit(host, one.name, max_tokens) | (one.options or options.get(one.name, {})) for one in chosen]
    built = [host.build_reward(one.name, values) for one, values in zip(chosen, given, strict=True)]
    for reward in built:
        require_columns(rows, reward.name, reward.columns)
    rules = [RewardRules(one.seconds, one.on_error) for one in chosen]
    functions = checked_rewards([one.function for one in built], [one.name for one in built], rules)
    pay = Pay(functions, [one.__name__ for one in functions], [one.weight for one in chosen])
    identity = [
        {"name": one.name, "weight": one.weight, "options": values, "file": _digest(host, one.name)}
        for one, values in zip(chosen, given, strict=True)
    ]
    return Rewards(pay, _right(pay.names, right), identity)


def _read(wanted: Sequence[str]) -> list[dict[str, Any]]:
    try:
        return read_rewards(list(wanted))
    except ValueError as error:
        raise SpecError(str(error)) from error


def _right(names: Sequence[str], wanted: str | None) -> str:
    if wanted is None:
        return right_reward(names) or names[0]
    if wanted not in names:
        raise SpecError(f"--right '{wanted}' is no reward of this evaluation; there are: {', '.join(names)}")
    return wanted


def _limit(host: PluginHost, name: str, max_tokens: int) -> dict[str, int]:
    """The limit of tokens, for a reward that must be told it."""
    field = host.find("reward", name).extension.options.model_fields.get("max_tokens")
    return {"max_tokens": max_tokens} if field is not None and field.default is None else {}


def _digest(host: PluginHost, name: str) -> str | None:
    """SHA-256 of the file that a reward is in; None where it is not in one alone."""
    found = host.find("reward", name)
    file = Path(found.file) if found.file is not None else None
    return hashlib.sha256(file.read_bytes()).hexdigest() if file is not None and file.is_file() else None
