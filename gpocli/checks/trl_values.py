"""Values under `trl` that come from a closed set, hold keys of one, or name a file."""

import json
from collections.abc import Collection, Iterator, Mapping
from difflib import get_close_matches
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from gpocli.checks.findings import Findings
from gpocli.spec.trl_faults import MAPPINGS
from gpocli.spec.trl_schema import names_of
from gpocli.spec.wording import shown

_FILES = {"accelerator_config", "deepspeed", "fsdp_config"}
"""Mappings that may stand in a JSON file of their own."""
_DEEPSPEED = {"zero_optimization", "train_batch_size", "train_micro_batch_size_per_gpu", "bf16", "fp16", "optimizer"}
"""Keys of which a configuration of DeepSpeed has one."""
_MANY = 8
"""Names that a message lists."""


def check_values(findings: Findings) -> None:
    """Find values that TRL, transformers or torch refuse when a trainer is built, or later."""
    trl = findings.spec.trl
    for name in sorted((_FILES | MAPPINGS) & trl.keys()):
        _check_mapping(findings, name, trl[name])
    if isinstance(backend := trl.get("torch_compile_backend"), str):
        named = {*names_of("torch_compile_backend"), *entry_points(group="torch_dynamo_backends").names}
        _check_choice(findings, "trl.torch_compile_backend", backend, named)
    for name in ("torch_compile_mode", "cache_implementation"):
        if isinstance(trl.get(name), str):
            _check_choice(findings, f"trl.{name}", trl[name], names_of(name))
    for name in ("debug", "fsdp"):
        for word in _words(trl.get(name)):
            _check_choice(findings, f"trl.{name}", word, names_of(name))
    padding = trl.get("pad_to_multiple_of")
    if isinstance(padding, str) and not (padding in ("auto", "none", "null") or padding.isdecimal()):
        findings.add("trl.pad_to_multiple_of", f"{shown(padding)} is text; write a whole number, auto or null")
    _check_attention(findings)
    _check_optim_args(findings)


def _check_choice(findings: Findings, path: str, value: str, names: Collection[str]) -> None:
    if value not in names:
        findings.add(path, f"{shown(value)} is not one of its values; {_write(value, names)}")


def _write(value: str, names: Collection[str]) -> str:
    """What to write instead of `value`: the nearest name, all names, or the shortest of many."""
    near = get_close_matches(value, names, n=1)
    if near or len(names) == 1:
        return f"write {near[0] if near else next(iter(names))}"
    if len(names) > _MANY:
        return f"write {', '.join(sorted(sorted(names, key=len)[:_MANY]))} or another"
    *others, last = sorted(names)
    return f"write {', '.join(others)} or {last}"


def _words(value: Any) -> list[str]:
    words = value.split() if isinstance(value, str) else value
    return [str(word) for word in words] if isinstance(words, list) else []


def _check_mapping(findings: Findings, name: str, value: Any) -> None:
    path = f"trl.{name}"
    if isinstance(value, str):
        value = _read(findings, path, value)
    if not isinstance(value, Mapping):
        return
    if name == "deepspeed":
        if not _DEEPSPEED & value.keys():
            findings.add(path, "is no configuration of DeepSpeed; write one with zero_optimization")
        return
    known = _keys(findings, name)
    for key in () if known is None else sorted(value.keys() - set(known), key=str):
        findings.add(path, _unknown(name, str(key), known or [], findings))


def _read(findings: Findings, path: str, text: str) -> Any:
    """The mapping in a JSON file or text; None where that cannot be had, which is a fault then."""
    try:
        value = json.loads(text if text.lstrip().startswith("{") else Path(text).expanduser().read_bytes())
    except OSError as error:
        findings.add(path, f"cannot read '{text}' ({error.strerror}); write the path of a JSON file, or a mapping")
        return None
    except ValueError as error:
        findings.add(path, f"{shown(text)} is no JSON ({error}); mend it, or write a mapping")
        return None
    if not isinstance(value, Mapping):
        findings.add(path, f"{shown(text)} holds no mapping; write one")
    return value


def _keys(findings: Findings, name: str) -> list[str] | None:
    """The keys that a mapping may hold; None where any, or that is not known."""
    if name in ("activation_checkpointing_kwargs", "gradient_checkpointing_kwargs"):
        return names_of("gradient_checkpointing_kwargs")
    if name in ("accelerator_config", "transformers_continuous_batching_config"):
        return names_of(name)
    if name == "lr_scheduler_kwargs" and findings.are_sound("optim.schedule"):
        return names_of(name, findings.spec.optim.schedule)
    return None


def _unknown(name: str, key: str, known: list[str], findings: Findings) -> str:
    if name == "lr_scheduler_kwargs":
        schedule = findings.spec.optim.schedule
        if not known:
            return f"the schedule '{schedule}' takes no {key}, and nothing else; remove it, or write another schedule"
        return f"the schedule '{schedule}' takes no {key}; {_write(key, known)}"
    return f"has no {key}; {_write(key, known)}"


def _check_attention(findings: Findings) -> None:
    name = findings.spec.model.attention
    if name is None or "/" in name or not findings.are_sound("model.attention"):  # a kernel of the hub has a slash
        return
    names = [one for one in names_of("attention") if not one.startswith("paged|")]  # these cannot train
    _check_choice(findings, "model.attention", name, names)


def _check_optim_args(findings: Findings) -> None:
    text = findings.spec.trl.get("optim_args")
    if not isinstance(text, str) or not findings.are_sound("optim.optimizer"):
        return
    optimizer = findings.spec.optim.optimizer
    known = names_of("optim_args", optimizer)
    for fault in _wrong_args(text, optimizer, known):
        findings.add("trl.optim_args", fault)


def _wrong_args(text: str, optimizer: str, known: list[str]) -> Iterator[str]:
    if not known:
        yield f"has no effect with the optimizer '{optimizer}', of which adam_beta1 and the like are all; remove it"
        return
    for part in text.replace(" ", "").split(","):
        key, equals, value = part.partition("=")
        if not equals or not value:
            yield f"{shown(part)} is no key=value; write {known[0]}=VALUE, with commas between several"
        elif key not in known:
            yield f"the optimizer '{optimizer}' takes no {key}; {_write(key, known)}"
        elif not _is_value(value):
            yield f"{key} is {shown(value)}; write a number, or true or false"


def _is_value(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return text.lower() in ("true", "false", "yes", "no")
    return True
