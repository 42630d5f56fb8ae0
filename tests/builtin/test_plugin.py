"""The built-in plugin gives every built-in filter and reward, and each can be built as it is."""

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

import gpocli.builtin
from gpocli.builtin.plugin import gpo_filters, gpo_rewards
from gpocli.contracts.filter import GroupFilter
from gpocli.plugin_manager import load_plugins

ROOT = Path(gpocli.builtin.__file__).parent


def extensions_in(folder):
    modules = [import_module(f"gpocli.builtin.{folder}.{file.stem}") for file in (ROOT / folder).glob("*.py")]
    return {module.EXTENSION.name: module for module in modules if hasattr(module, "EXTENSION")}


@pytest.mark.parametrize(("folder", "hook"), [("filters", gpo_filters), ("rewards", gpo_rewards)])
def test_every_file_with_an_extension_is_given_under_its_own_name(folder, hook):
    found = extensions_in(folder)
    assert {extension.name for extension in hook()} == set(found)
    assert all(module.__name__.endswith(f".{name}") for name, module in found.items())


def test_every_filter_is_built_with_defaults():
    host = load_plugins(entry_points=False)
    for name in host.filters:
        assert GroupFilter([host.build_filter(name)]).name == name


def test_every_reward_is_built():
    host = load_plugins(entry_points=False)
    options = {"overlong": {"max_tokens": 64}}  # the one that cannot know by itself
    assert list(host.rewards) == [
        "accuracy", "exact", "think_format", "length_penalty", "overlong", "length_aware_accuracy", "gym",
    ]  # fmt: skip
    for name, registered in host.rewards.items():
        if name == "gym" and find_spec("reasoning_gym") is None:
            continue  # an extra
        named = host.build_reward(name, options.get(name))
        assert named.name == name
        assert callable(named.function)
        assert named.columns == registered.extension.columns
