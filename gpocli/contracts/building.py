"""What an extension record stands for, built with the options of a spec and checked."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from gpocli.contracts.callables import call_signature, one_line_cause
from gpocli.contracts.filter import NamedFilter
from gpocli.contracts.options import checked_options
from gpocli.contracts.plugin import RECORDS
from gpocli.contracts.reward import REWARD_KEYWORDS
from gpocli.contracts.scores import shown
from gpocli.errors import GpoError, PluginError
from gpocli.extensions import FilterExtension, GuardExtension, RewardExtension


@dataclass(frozen=True, slots=True)
class NamedReward:
    """A reward under the name that messages and records use, and the data columns it cannot do without."""

    name: str
    function: Callable[..., Any]
    columns: tuple[str, ...] = ()


def build_extension(
    extension: FilterExtension | RewardExtension, options: Mapping[str, Any]
) -> NamedFilter | NamedReward:
    """Build what a record stands for, outside of any plugin host; raises as `built`."""
    function = built(extension, extension.name, "this plugin", options)
    return (
        NamedFilter(extension.name, function)
        if isinstance(extension, FilterExtension)
        else named_reward(extension, function)
    )


def built(
    extension: FilterExtension | RewardExtension | GuardExtension,
    reference: str,
    origin: str,
    options: Mapping[str, Any],
) -> Callable[..., Any]:
    """What the record's build gives for `options`, which its model checks; messages say `reference` and `origin`.

    Raises `SpecError` for an option that is wrong, and `PluginError` where the build fails or gives no callable.
    """
    owner = f"{next(kind for kind, record in RECORDS.items() if isinstance(extension, record))} '{reference}'"
    checked = checked_options(extension.options, options, owner)
    try:
        function: object = extension.build(checked)
    except GpoError:
        raise
    except Exception as error:
        raise PluginError(
            f"{owner} of {origin} could not be built: {one_line_cause(error)}; check its options"
        ) from error
    if isinstance(extension, GuardExtension) and not callable(getattr(function, "check", function)):
        raise PluginError(f"{owner} of {origin} built {shown(function)}; its build must return an object with check")
    if not isinstance(extension, GuardExtension) and not callable(function):
        raise PluginError(f"{owner} of {origin} built {shown(function)}; its build must return a callable")
    return function  # type: ignore[return-value]


def named_reward(extension: RewardExtension, function: Callable[..., Any]) -> NamedReward:
    """A built reward with the data columns it needs: those it says it does, and keywords that nobody else gives.

    A built reward may have `columns` of its own, when its options decide which they are.
    """
    declared = getattr(function, "columns", extension.columns)
    signature = call_signature(function, leading=0)
    required = sorted(signature.required.difference(REWARD_KEYWORDS)) if signature is not None else []
    return NamedReward(extension.name, function, tuple(dict.fromkeys([*declared, *required])))
