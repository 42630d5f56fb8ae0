"""`gpo doctor`: whether this machine can train, line by line, and what to do where it cannot."""

import os
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from gpocli.cli.console import console, print_json
from gpocli.errors import EnvironmentFault, counted

if TYPE_CHECKING:
    from gpocli.doctor.finding import Finding

_STYLES = {"ok": "green", "warn": "yellow", "problem": "bold red"}


def doctor_command(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of lines.")] = False,
) -> None:
    """Tell whether this machine can train, and what to mend."""
    findings = []
    for finding in examine_machine():
        findings.append(finding)
        if not as_json:
            show(finding)
    if as_json:
        print_json([asdict(finding) for finding in findings])
    problems = sum(finding.state == "problem" for finding in findings)
    if problems:
        raise EnvironmentFault(f"{counted(problems, 'problem')}; do what the marked lines say, then ask again")


def examine_machine() -> Iterator["Finding"]:
    """All findings, the quick ones first; torch is asked last."""
    from gpocli.doctor.hub import check_hub, check_telemetry
    from gpocli.doctor.machine import check_devices, check_disk
    from gpocli.doctor.packages import check_plugins, check_versions
    from gpocli.plugin_manager import load_plugins

    yield from check_versions()
    yield from check_plugins(load_plugins)
    yield from check_disk()
    yield from check_telemetry(os.environ)
    yield from check_hub()
    yield from check_devices()


def show(finding: "Finding") -> None:
    """Print a finding: its state, what was found, and the cure."""
    from rich.text import Text

    about = "" if finding.topic in finding.text.split() else f"{finding.topic}: "
    line = about + (finding.text if finding.cure is None else f"{finding.text}; {finding.cure}")
    console.print(Text.assemble((f"{finding.state:<8}", _STYLES[finding.state]), line), soft_wrap=True)
