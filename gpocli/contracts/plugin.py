"""The contract of a plugin: hooks that fit, and extensions that can be used, read out of one plugin alone."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

import pluggy
from pydantic import BaseModel

from gpocli import hookspecs
from gpocli.contracts.nearest import did_you_mean
from gpocli.contracts.scores import shown
from gpocli.extensions import AlgorithmExtension, Extension, FilterExtension, GuardExtension, RewardExtension
from gpocli.settings.algorithm import AlgorithmSection
from gpocli.settings.guards import GuardAction

Kind = Literal["filter", "reward", "guard", "algorithm"]
RECORDS: dict[Kind, type[Extension]] = {
    "filter": FilterExtension,
    "reward": RewardExtension,
    "guard": GuardExtension,
    "algorithm": AlgorithmExtension,
}
HOOKS = {f"gpo_{kind}s": record for kind, record in RECORDS.items()}
_NAME = re.compile(r"[a-z][a-z0-9_]*")
_CLASS = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")


class PluginFault(Exception):
    """A plugin does not keep the contract; the text says how, on one line."""


@dataclass(frozen=True, slots=True)
class Extensions:
    """What one plugin gave."""

    filters: tuple[FilterExtension, ...] = ()
    rewards: tuple[RewardExtension, ...] = ()
    guards: tuple[GuardExtension, ...] = ()
    algorithms: tuple[AlgorithmExtension, ...] = ()

    def of(self, kind: Kind) -> tuple[Extension, ...]:
        """Those of one kind."""
        given: tuple[Extension, ...] = getattr(self, f"{kind}s")
        return given

    def names(self, kind: Kind) -> tuple[str, ...]:
        """The names of those of one kind."""
        return tuple(extension.name for extension in self.of(kind))


def extensions_of(plugin: object) -> Extensions:
    """Call the hooks of `plugin` (a module or an object) and check what they return.

    The plugin gets a manager of its own, so that nothing in it reaches another plugin. Raises `PluginFault`,
    pluggy's `PluginValidationError`, and whatever a hook raises.
    """
    manager = pluggy.PluginManager("gpo")
    manager.add_hookspecs(hookspecs)
    _check_hooks(manager, plugin)
    manager.register(plugin)
    return Extensions(
        **{hook.removeprefix("gpo_"): tuple(_returned(plugin, hook, getattr(manager.hook, hook))) for hook in HOOKS}
    )


def _check_hooks(manager: pluggy.PluginManager, plugin: object) -> None:
    marked = [name for name in dir(plugin) if manager.parse_hookimpl_opts(plugin, name) is not None]
    for name in marked:
        if name not in HOOKS:
            raise PluginFault(f"unknown hook '{name}'; {did_you_mean(name, HOOKS)}")
    for name in HOOKS:
        if callable(getattr(plugin, name, None)) and name not in marked:
            raise PluginFault(f"'{name}' is not marked; put @gpocli.hookimpl above it")
    if not marked:
        *hooks, last = HOOKS
        raise PluginFault(f"it has no hook; define {', '.join(hooks)} or {last} with @gpocli.hookimpl")


def _returned(plugin: object, hook: str, call: Callable[[], list[Any]]) -> list[Any]:
    if not hasattr(plugin, hook):
        return []
    kind = HOOKS[hook].__name__
    results = call()
    returned = results[0] if results else None  # pluggy leaves out None
    if not isinstance(returned, list | tuple):
        raise PluginFault(f"{hook} returned {shown(returned)}; return a list of {kind}")
    names: set[str] = set()
    for extension in returned:
        if not isinstance(extension, HOOKS[hook]):
            raise PluginFault(f"{hook} returned {shown(extension)} in its list; return {kind} records")
        check_extension(extension)
        if extension.name in names:
            raise PluginFault(f"{hook} returned '{extension.name}' twice; give each its own name")
        names.add(extension.name)
    return list(returned)


def check_extension(extension: Extension) -> None:
    """Raise `PluginFault` when a field of the record cannot be used."""
    name: object = extension.name
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise PluginFault(f"{name!r} cannot be a name; write lower-case letters, digits and _, starting with a letter")
    if isinstance(extension, AlgorithmExtension):
        _check_algorithm(extension)
    else:
        options: object = extension.options
        if not isinstance(options, type) or not issubclass(options, BaseModel):
            raise PluginFault(f"the options of '{name}' are {shown(options)}; give a class of pydantic.BaseModel")
        if not callable(extension.build):
            raise PluginFault(f"the build of '{name}' is {shown(extension.build)}; give a function of the options")
    argument: object = getattr(extension, "argument", None)
    if argument is not None and argument not in extension.options.model_fields:  # type: ignore[union-attr]
        raise PluginFault(f"the argument of '{name}' is {shown(argument)}, which is none of its options; name one")
    if isinstance(extension, GuardExtension) and extension.action not in get_args(GuardAction):
        actions = ", ".join(get_args(GuardAction))
        raise PluginFault(f"the action of '{name}' is {shown(extension.action)}; give one of {actions}")
    if not isinstance(extension.summary, str):
        raise PluginFault(f"the summary of '{name}' is {shown(extension.summary)}; write one line of text")


def _check_algorithm(extension: AlgorithmExtension) -> None:
    name, section = extension.name, extension.section
    if not isinstance(section, type) or not issubclass(section, AlgorithmSection):
        raise PluginFault(f"the section of '{name}' is {shown(section)}; give a class of gpocli.AlgorithmSection")
    kind = section.model_fields["type"]
    if get_args(kind.annotation) != (name,) or kind.default != name:
        raise PluginFault(f'the section of \'{name}\' has another type; write type: Literal["{name}"] = "{name}"')
    try:
        section(type=name)
    except Exception as error:
        cause = f"{type(error).__name__}: {' '.join(str(error).split()):.100}"
        raise PluginFault(
            f"the section of '{name}' cannot be made ({cause}); give each field a sound default"
        ) from error
    for role, text in (("trainer", extension.trainer), ("config", extension.config)):
        if not isinstance(text, str) or not _CLASS.fullmatch(text):
            raise PluginFault(f"the {role} of '{name}' is {shown(text)}; write it as package.module:Class")
    for role, mapping in (("options", extension.options), ("refused", extension.refused)):
        if not isinstance(mapping, Mapping):
            raise PluginFault(f"'{role}' of '{name}' is {shown(mapping)}; give a mapping of TRL's options")
    for option, reason in extension.refused.items():
        if not isinstance(reason, str):
            raise PluginFault(f"the refusal of '{option}' by '{name}' is {shown(reason)}; write the reason")
    updates = extension.updates_per_generation
    if not isinstance(updates, int) or updates < 1:
        raise PluginFault(f"the updates_per_generation of '{name}' is {shown(updates)}; give a whole number above 0")
    for role, line in (("title", extension.title), ("paper", extension.paper)):
        if not isinstance(line, str):
            raise PluginFault(f"the {role} of '{name}' is {shown(line)}; write one line of text")
