"""Names of TRL and of other tools given as flags: what to write here."""

from collections.abc import Collection


def instead_of(option: str, algorithm: str | None, flags: Collection[str]) -> str | None:
    """What to write for an unknown `option` of a command with `flags`; None where nothing is known of it.

    `algorithm` is the one that the command is about, if it is about one.
    """
    from gpocli.spec.algorithms import algorithms
    from gpocli.spec.fields import paths_called, settings
    from gpocli.spec.suggest import lack, owners_of
    from gpocli.spec.trl_faults import decided_elsewhere
    from gpocli.spec.trl_schema import trl_options

    name = option.lstrip("-").replace("-", "_")
    if algorithm and (decided := decided_elsewhere(name, algorithms()[algorithm], {})):
        return decided
    paths = [name, *paths_called(name)]
    if known := [one for one in settings(algorithm) if one.path in paths]:
        own = [(one.path, one.setting.flag.name if one.setting.flag else "") for one in known]
        return f"write {' or '.join(flag if flag in flags else f'--set {path}=VALUE' for path, flag in own)}"
    if algorithm and len(paths) > 1:
        lacking = paths[1].removeprefix("algorithm.")
        return f"{lack(algorithm, lacking)}; write gpo train {owners_of(lacking)[0]}"
    return f"write --set trl.{name}=VALUE" if name in trl_options() else None
