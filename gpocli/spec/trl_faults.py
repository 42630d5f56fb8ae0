"""What is wrong with the options under `trl`: no section and no algorithm decides them, and TRL has them."""

from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from gpocli.extensions import AlgorithmExtension
from gpocli.settings.setting import Declared, declared
from gpocli.spec.algorithms import algorithms
from gpocli.spec.trl_schema import trl_options, wrong_value
from gpocli.spec.wording import shown

MAPPINGS = frozenset(
    "activation_checkpointing_kwargs chat_template_kwargs gradient_checkpointing_kwargs liger_kernel_config "
    "lr_scheduler_kwargs transformers_continuous_batching_config".split()
)
"""Options that TRL also takes as text, from its own command line."""
SECRETS = frozenset({"hub_token"})
"""Options of TRL that no file of a run may hold."""


def wrong_options(
    trl: Mapping[str, Any], algorithm: AlgorithmExtension, settings: Sequence[Declared]
) -> Iterator[tuple[str, str]]:
    """Yield the dotted path below `trl` and the fault of each option; `settings` are those of the spec."""
    owners = {option: one.path for one in settings for option in one.setting.owned}
    mappings = {option.partition(".")[0] for option in owners if "." in option}
    for name, value in trl.items():
        if decided := decided_elsewhere(name, algorithm, owners):
            yield name, decided
        elif name in mappings | MAPPINGS and isinstance(value, str):
            yield name, f"{shown(value)} is text; write a mapping"
        elif name in mappings and isinstance(value, Mapping):
            for part in value:
                if owner := owners.get(f"{name}.{part}"):
                    yield f"{name}.{part}", f"is set elsewhere in a spec; write {owner}"
        elif name in SECRETS:
            yield (
                name,
                "is a secret, and a run keeps its spec and its options in files; run hf auth login, or set HF_TOKEN",
            )
        elif name not in trl_options():
            yield name, _unknown(name, algorithm, owners, settings)
        elif wrong := wrong_value(name, value):
            yield name, wrong


def decided_elsewhere(name: str, algorithm: AlgorithmExtension, owners: Mapping[str, str]) -> str | None:
    """Why nobody can set the option `name` under `trl`, given the path of the setting that owns each."""
    if name in algorithm.refused:
        return f"has no effect under {algorithm.name} ({algorithm.refused[name]}); remove it"
    if name in algorithm.options:
        return f"{algorithm.name} always has {name}: {algorithm.options[name]} ({algorithm.paper}); remove it"
    return f"is set elsewhere in a spec; write {owners[name]}" if name in owners else None


def _unknown(name: str, algorithm: AlgorithmExtension, owners: Mapping[str, str], settings: Sequence[Declared]) -> str:
    for one in settings:
        if name in one.setting.aliases:
            return f"TRL has no such option; write {one.path}"
    for other in algorithms().values():
        for one in declared(other.section, "algorithm."):
            if name in (*one.setting.owned, *one.setting.aliases):
                return f"{algorithm.name} has no {one.path.removeprefix('algorithm.')}; remove it"
    near = get_close_matches(name, trl_options(), n=1, cutoff=0.7)
    if not near:
        return "TRL has no such option; write one of its GRPOConfig, or remove it"
    return f"TRL has no such option; write {owners.get(near[0], f'trl.{near[0]}')}"
