"""The tokenizer and the chat template of a model, as far as their files tell."""

from collections.abc import Iterator

from gpocli.checks.findings import Findings
from gpocli.checks.model import files_of
from gpocli.checks.template import quotes_arguments, refusal, template_fault
from gpocli.data import Rows
from gpocli.data.tool_calls import QUOTED, has_text_arguments
from gpocli.policy.files import TokenizerFiles
from gpocli.policy.sound import APPENDED, BEYOND, NO_END

_TEMPLATES = ("chat_template.jinja", "chat_template.json", "additional_chat_templates")
_SPECIAL = ("bos_token", "eos_token", "pad_token")
_RENDERED = 20
"""Prompts with other roles each that the template is tried on."""


def check_tokenizer(findings: Findings) -> None:
    """Find a model without an end token, and special tokens that its embedding does not hold."""
    name, files = findings.spec.model.name, files_of(findings)
    if files is None:
        return
    if files.declares_no_end:
        findings.add("model.name", NO_END.format(name))
    rows = files.embedded_tokens
    for kind in _SPECIAL:
        token = files.token(kind)
        number = None if token is None else files.ids.get(token)
        if rows is not None and number is not None and number >= rows:
            findings.add("model.name", BEYOND.format(f"{kind} '{token}'", name, number, rows))


def check_prompts(findings: Findings, *all_rows: Rows | None) -> None:
    """Find prompts that the tokenizer ends, and chats for which there is no template, or one that refuses them."""
    name, files = findings.spec.model.name, files_of(findings)
    if files is None:
        return
    for rows in all_rows:
        if rows is None:
            continue
        if isinstance(rows[0]["prompt"], str):
            if files.appended is not None and files.appended == files.token("eos_token"):
                findings.add("model.name", APPENDED.format(name, files.appended))
        elif files.template is not None:
            for fault in _template_faults(findings, rows, files, files.template):
                findings.add_in_file(fault)
        elif _has_no_template(files):
            findings.add_in_file(
                f"{rows.source}: prompts are chat messages, but the tokenizer in '{name}' has no chat template; write "
                "plain text prompts, or name a chat model"
            )


def _has_no_template(files: TokenizerFiles) -> bool:
    if not (files.folder / "tokenizer_config.json").is_file() or "chat_template" in files.settings:
        return False
    return not any((files.folder / name).exists() for name in _TEMPLATES)


def _template_faults(findings: Findings, rows: Rows, files: TokenizerFiles, template: str) -> Iterator[str]:
    """The first thing that the template does not take, with the row that holds it."""
    if fault := template_fault(template):
        yield (
            f"{rows.source}: prompts are chats, but the chat template of '{findings.spec.model.name}' is broken "
            f"({fault}); mend it in the model's files"
        )
        return
    given = {kind: files.token(kind) or "" for kind in _SPECIAL}
    given |= findings.spec.trl.get("chat_template_kwargs") or {} if findings.are_sound("trl") else {}
    for index in _by_roles(rows):
        if said := refusal(template, rows[index]["prompt"], given):
            yield (
                f"{rows.place(index)}: the chat template of '{findings.spec.model.name}' refuses the prompt ({said}); "
                "change the messages or their roles"
            )
            return
    called = next((number for number, row in enumerate(rows) if has_text_arguments(row["prompt"])), None)
    if called is not None and quotes_arguments(template, rows[called]["prompt"], given):
        yield f"{rows.place(called)}: {QUOTED}"


def _by_roles(rows: Rows) -> list[int]:
    """The first row of each order of roles."""
    first: dict[tuple[str, ...], int] = {}
    for index, row in enumerate(rows):
        first.setdefault(tuple(message["role"] for message in row["prompt"]), index)
    return list(first.values())[:_RENDERED]
