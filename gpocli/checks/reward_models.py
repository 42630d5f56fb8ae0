"""Reward models, as far as their files tell: whether they are there, score, and take what they will be given."""

from collections.abc import Sequence
from contextlib import suppress

from gpocli.checks.findings import Findings
from gpocli.checks.model import context_of, wrong_folder
from gpocli.contracts.building import NamedReward
from gpocli.contracts.reward_model import RewardModel, reward_model_of
from gpocli.data import Rows
from gpocli.embedded import model_folder
from gpocli.errors import SpecError
from gpocli.policy.files import TokenizerFiles
from gpocli.policy.hub_model import ask_for, cached_folder, fetch_note
from gpocli.policy.reward_files import why_no_reward_model
from gpocli.settings.model import ModelSpec
from gpocli.settings.reward import RewardSpec


def check_reward_models(findings: Findings, rewards: Sequence[NamedReward], rows: Rows | None) -> None:
    """Find faults of reward models; a hub id that is not in the cache is asked about where all else is sound."""
    spec = findings.spec
    if not findings.are_sound("rewards") or len(rewards) < len(spec.rewards):
        return
    for number, (reward, entry) in enumerate(zip(rewards, spec.rewards, strict=True)):
        if (model := reward_model_of(reward.function)) is not None:
            _check_rules(findings, f"rewards.{number}", entry)
            with findings.at(f"rewards.{number}.name"):
                _check_model(findings, model, rows)


def _check_rules(findings: Findings, path: str, entry: RewardSpec) -> None:
    defaults = RewardSpec(name=entry.name)
    for name in ("seconds", "on_error"):
        if getattr(entry, name) != getattr(defaults, name):
            findings.add(f"{path}.{name}", "does nothing for a reward model, which TRL runs as a part of the step; "
                                           "leave it out")  # fmt: skip


def _check_model(findings: Findings, model: RewardModel, rows: Rows | None) -> None:
    if fault := wrong_folder(model.path):
        raise SpecError(fault)
    folder = model_folder(model.path)
    if not folder.is_dir():
        named = ModelSpec(name=model.path, revision=model.revision)
        if not findings.faults and (fetch := ask_for(named)) is not None:
            findings.notes.append(fetch_note(named, fetch))
        with suppress(SpecError):  # told by the line above, or hidden by other faults
            folder = cached_folder(named) or folder
    files = TokenizerFiles(folder)
    if files.config:
        _check_files(findings, model.path, files, rows)


def _check_files(findings: Findings, name: str, files: TokenizerFiles, rows: Rows | None) -> None:
    if fault := why_no_reward_model(name, files.config):
        raise SpecError(fault)
    is_chat = rows is not None and len(rows) > 0 and not isinstance(rows[0]["prompt"], str)
    if is_chat and files.template is None and not isinstance(files.settings.get("chat_template"), list):
        raise SpecError(
            f"'{name}' has no chat template, and the prompts are messages; save one with its tokenizer, or give "
            "prompts as text"
        )
    context = context_of(files.folder)
    if context is not None and findings.are_sound("sampling.max_tokens"):
        wanted = findings.spec.sampling.max_tokens
        if wanted >= context:
            raise SpecError(
                f"'{name}' takes {context} tokens, and a completion may have {wanted} beside its prompt; lower "
                "sampling.max_tokens, or name a model that takes more"
            )
