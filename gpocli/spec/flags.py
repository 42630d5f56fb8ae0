"""Which flags of an algorithm cannot be had, since a command or another setting has one of that name."""

from gpocli.extensions import AlgorithmExtension
from gpocli.settings.setting import declared
from gpocli.spec.run_spec import RunSpec

OF_COMMANDS = frozenset(
    "--resume --dry-run --smoke --log-format --preset --set --algorithm --processes --json --origin --deep --help "
    "-h".split()
)
"""Flags of the commands that read a spec."""


def taken_flags(extension: AlgorithmExtension) -> list[str]:
    """A line for each flag of the algorithm's own settings whose name is taken: the setting goes without it."""
    owners = _owners()
    lines = []
    for one in declared(extension.section, ""):
        flag = one.setting.flag
        for name in (flag.name, flag.short) if flag else ():
            if name in owners:
                setting = f"setting '{one.path}' of algorithm '{extension.name}'"
                cure = f"use --set algorithm.{one.path}=VALUE, or give it another"
                lines.append(f"{setting} has no flag {name}, which is that of {owners[name]}; {cure}")
    return lines


def _owners() -> dict[str, str]:
    """What has each flag that no algorithm can have."""
    owners = dict.fromkeys(OF_COMMANDS, "the commands")
    for one in declared(RunSpec, ""):
        flag = one.setting.flag
        if flag and not one.path.startswith("algorithm."):
            owners |= {name: one.path for name in (flag.name, flag.short) if name}
    return owners
