"""Commands that read a run spec: all take the same flags, which are made from the settings of the spec."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_origin

import typer
from typer.core import TyperCommand
from typer.main import get_command

from gpocli.cli.completion import complete_algorithm, complete_filter, complete_key, complete_preset, complete_reward

if TYPE_CHECKING:
    from gpocli.settings.setting import Declared, Flag
    from gpocli.spec.layer import Assignment


def option(*names: str, help: str, panel: str | None = None, **more: Any) -> Any:
    """A flag as the commands show it, under the heading `panel`."""
    return typer.Option(*names, help=help, rich_help_panel=panel, show_default=False, **more)


Specs = Annotated[list[Path] | None, typer.Argument(help="YAML, TOML or JSON, later ones on top.", show_default=False)]
Algorithm = Annotated[
    str | None,
    option(
        "--algorithm",
        help="As gpo train NAME [dim](the spec's, else gfpo)[/dim]",
        panel="Algorithm",
        metavar="NAME",
        autocompletion=complete_algorithm,
    ),
]
Resume = Annotated[bool, option("--resume", help="Go on with the run in --out", panel="Run")]
Preset = Annotated[
    str | None,
    option(
        "--preset",
        help="Settings below the specs; gpo presets list",
        panel="Run",
        metavar="NAME",
        autocompletion=complete_preset,
    ),
]
Set = Annotated[
    list[str] | None,
    option(
        "--set",
        help="Any value, as optim.warmup_steps=5; repeats",
        panel="Run",
        metavar="KEY=VALUE",
        autocompletion=complete_key,
    ),
]
Processes = Annotated[
    int | None,
    option("--processes", min=1, help="Processes that will train [dim]\\[default: WORLD_SIZE, else 1][/dim]."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
_PANELS = {
    "algorithm": "Algorithm",
    **dict.fromkeys(("model", "data", "rewards"), "Model, data and rewards"),
    **dict.fromkeys(("sampling", "optim", "batch"), "Sampling and updates"),
    "run": "Run",
}
"""Where the flags of a section stand in the help."""
_COMPLETIONS: dict[str | None, Callable[[str], Any]] = {"filter": complete_filter, "reward": complete_reward}


class SpecCommand(TyperCommand):
    """A command whose function is `reads_spec`; `algorithm` is the one that it is about, if it is about one.

    Its flags are made when it is called: they take the settings and the plugins, which a list of commands does without.
    """

    algorithm: str | None = None

    def make_context(self, *args: Any, **kwargs: Any) -> Any:
        app = typer.Typer(add_completion=False, rich_markup_mode="rich")
        function: Callable[..., None] = self.callback.reads_spec  # type: ignore[union-attr]
        app.command(self.name, help=self.help)(_with_flags(function, self.algorithm))
        return get_command(app).make_context(*args, **kwargs)


def reads_spec(function: Callable[..., None]) -> Callable[[], None]:
    """Mark a function that takes the `SpecSources` of a command, and after them the options of its own."""

    def command() -> None:
        raise AssertionError("a SpecCommand calls the function")

    command.__doc__ = function.__doc__
    command.reads_spec = function  # type: ignore[attr-defined]
    return command


@dataclass(frozen=True, slots=True)
class SpecFlag:
    """A flag of the command line and the setting that it gives; `default` are the words for that of the setting."""

    setting: "Declared"
    flag: "Flag"
    default: str | None

    @property
    def parameter(self) -> Parameter:
        """The flag as Typer reads it from a function."""
        flag = self.flag
        written = option(
            *([flag.short] if flag.short else []),
            flag.name,
            help=flag.help if self.default is None else f"{flag.help} [dim]({self.default})[/dim]",
            panel=_PANELS[self.setting.path.partition(".")[0]],
            metavar=flag.metavar,
            autocompletion=_COMPLETIONS.get(flag.complete),
        )
        return _parameter(self.setting.path.replace(".", "_"), Annotated[self._type() | None, written])

    def assignment(self, value: Any) -> "Assignment":
        """The given value at its path. Raises BadParameter where it cannot be read."""
        from gpocli.spec.layer import Assignment, Place

        try:
            read = value if self.flag.read is None else self.flag.read(value)
        except ValueError as error:
            raise typer.BadParameter(str(error)) from error
        return Assignment(self.setting.path, read, Place(self.flag.name))

    def _type(self) -> Any:
        from gpocli.spec.fields import members

        types = members(self.setting.field.annotation)
        if any(get_origin(kind) in (list, dict) for kind in types):
            return list[str]
        return next((kind for kind in types if kind in (int, float, bool)), str)


def flags_of(algorithm: str | None) -> list[SpecFlag]:
    """The flags for a spec with that algorithm, or with any; of the algorithm, those with a short name first.

    A name stays with the first setting that has it, for a plugin cannot take one of ours.
    """
    from gpocli.spec.fields import settings
    from gpocli.spec.flags import OF_COMMANDS

    found: dict[str, SpecFlag] = {}
    # those of the algorithm last
    for one in sorted(settings(algorithm), key=lambda one: one.path.startswith("algorithm.")):
        if (flag := one.setting.flag) and flag.name not in OF_COMMANDS:
            found.setdefault(flag.name, SpecFlag(one, flag, _default(one.path, flag, algorithm)))
    return sorted(
        found.values(), key=lambda one: 2 if not one.setting.path.startswith("algorithm.") else one.flag.short is None
    )


def _with_flags(function: Callable[..., None], fixed: str | None) -> Callable[..., None]:
    """A function with a parameter for each flag, which hands the sources of the spec to `function`."""
    flags = flags_of(fixed)
    own = list(signature(function).parameters.values())[1:]

    def run(
        specs: list[Path] | None,
        preset: str | None,
        overrides: list[str] | None,
        algorithm: str | None = None,
        **given: Any,
    ) -> None:
        from gpocli.spec.layer import Assignment, Place
        from gpocli.spec.sources import SpecSources

        place = Place(f"gpo train {fixed}" if fixed else f"--algorithm {algorithm}")
        chosen = [Assignment("algorithm.type", name, place) for name in (fixed, algorithm) if name]
        values = [(flag, given.pop(flag.parameter.name)) for flag in flags]
        chosen += [flag.assignment(value) for flag, value in values if value is not None]
        function(SpecSources(specs or [], overrides or [], chosen, preset, os.environ), **given)

    parameters = [
        _parameter("specs", Specs),
        *([] if fixed else [_parameter("algorithm", Algorithm)]),
        *(flag.parameter for flag in flags),
        *(parameter.replace(kind=Parameter.KEYWORD_ONLY) for parameter in own),
        _parameter("preset", Preset),
        _parameter("overrides", Set),
    ]
    run.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    return run


def _parameter(name: str, annotation: Any) -> Parameter:
    return Parameter(name, Parameter.KEYWORD_ONLY, default=None, annotation=annotation)


def _default(path: str, flag: "Flag", algorithm: str | None) -> str | None:
    """The default of the setting in words, and that of the embedded model where it is another."""
    from gpocli.spec.algorithms import algorithms
    from gpocli.spec.fields import settings
    from gpocli.spec.sources import embedded_layer

    names = [algorithm] if algorithm else algorithms()
    fields = [one.field for name in names for one in settings(name) if one.path == path]
    defaults = {_words(field.get_default(call_default_factory=True)) or flag.null for field in fields}
    if len(defaults) > 1:
        return "by algorithm"
    section, _, name = path.partition(".")
    embedded = _words(embedded_layer().data.get(section, {}).get(name))
    default = defaults.pop()
    return default if embedded in (None, default) else f"{default}; embedded {embedded}"


def _words(value: Any) -> str | None:
    from gpocli.spec.wording import number

    if isinstance(value, list):
        return ", ".join(getattr(item, "name", str(item)) for item in value) or None
    if isinstance(value, int | float) and not isinstance(value, bool):
        return number(value).replace("e-0", "e-")
    return str(value) if value else None
