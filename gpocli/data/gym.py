"""Tasks of reasoning-gym as data sources: `gym:chain_sum`, or `gym:chain_sum?size=500&seed=1&min_terms=3`.

What stands behind the question mark are options of the task's own config. The package is an extra (`gpocli[gym]`)
and is imported here alone, when a task is asked for; its import takes seconds.
"""

import itertools
from importlib.util import find_spec
from typing import Any
from urllib.parse import parse_qsl

from gpocli.contracts.nearest import did_you_mean
from gpocli.data.rows import Rows, gather
from gpocli.errors import EnvironmentFault, SpecError

PREFIX = "gym:"


def is_gym(source: str) -> bool:
    """Whether `source` names a task of reasoning-gym."""
    return source.startswith(PREFIX)


def gym_rows(source: str, limit: int | None = None) -> Rows:
    """The rows of a task: `prompt` (its question), `answer` (text or null) and `metadata` (what its scorer needs).

    The same source gives the same rows: `seed` is 0 where none is said. Raises SpecError for a task or option that is
    not there, EnvironmentFault without reasoning-gym.
    """
    name, options = _read(source)
    if find_spec("reasoning_gym") is None:
        raise EnvironmentFault(f"'{source}' needs reasoning-gym, which is not installed; pip install 'gpocli[gym]'")
    import reasoning_gym
    from reasoning_gym.factory import DATASETS

    if name not in DATASETS:
        raise SpecError(f"'{source}': reasoning-gym has no task '{name}'; {did_you_mean(name, DATASETS)}")
    try:
        task = reasoning_gym.create_dataset(name, **{"seed": 0, **options})
    except (TypeError, ValueError, AssertionError) as error:
        # "ChainSumConfig.__init__() got an unexpected keyword": the class is of no use to the reader.
        reason = str(error).split("__init__() ")[-1].strip() or type(error).__name__
        raise SpecError(f"'{source}': reasoning-gym refuses the options ({reason}); change them") from error
    numbered = [
        (number, {"prompt": one["question"], "answer": one["answer"], "metadata": one["metadata"]})
        for number, one in enumerate(itertools.islice(task, limit), start=1)
    ]
    return gather(source, numbered, unit="row")


def _read(source: str) -> tuple[str, dict[str, Any]]:
    name, _, query = source.removeprefix(PREFIX).partition("?")
    if not name:
        raise SpecError(f"'{source}' names no task; write gym:chain_sum, say")
    try:
        pairs = parse_qsl(query, keep_blank_values=True, strict_parsing=bool(query))
    except ValueError as error:
        raise SpecError(f"'{source}': options are written as ?size=500&seed=1; write them so") from error
    return name, {key: _value(text) for key, text in pairs}


def _value(text: str) -> bool | int | float | str:
    if text in ("true", "false"):
        return text == "true"
    for read in (int, float):  # int first: options that count refuse 5.0
        try:
            return read(text)
        except ValueError:
            continue
    return text
