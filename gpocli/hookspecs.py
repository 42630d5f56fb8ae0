"""The whole contract between gpo and a plugin, on one screen.

A plugin is a module with some of these functions, each marked with `@gpocli.hookimpl`, and named by an
entry point of the group `gpo`. Hooks return records and register nothing themselves, so gpo knows which
distribution each filter, reward, guard and algorithm came from.
"""

import pluggy

from gpocli.extensions import AlgorithmExtension, FilterExtension, GuardExtension, RewardExtension

hookspec = pluggy.HookspecMarker("gpo")
hookimpl = pluggy.HookimplMarker("gpo")


@hookspec
def gpo_filters() -> list[FilterExtension]:  # type: ignore[empty-body]
    """Return the filters that this plugin adds. Called once, when the plugins are loaded."""


@hookspec
def gpo_rewards() -> list[RewardExtension]:  # type: ignore[empty-body]
    """Return the rewards that this plugin adds. Called once, when the plugins are loaded."""


@hookspec
def gpo_guards() -> list[GuardExtension]:  # type: ignore[empty-body]
    """Return the guards that this plugin adds. Called once, when the plugins are loaded."""


@hookspec
def gpo_algorithms() -> list[AlgorithmExtension]:  # type: ignore[empty-body]
    """Return the algorithms that this plugin adds. Called once, when the plugins are loaded."""
