"""The built-in plugin gives the extension of every file that has one."""

from importlib import import_module
from pathlib import Path

import pytest

import gpocli
from gpocli.builtin.plugin import gpo_algorithms, gpo_filters, gpo_guards, gpo_rewards

HOOKS = {
    "builtin/filters": gpo_filters,
    "builtin/rewards": gpo_rewards,
    "builtin/guards": gpo_guards,
    "algorithms": gpo_algorithms,
}


def modules_in(folder):
    files = (Path(gpocli.__file__).parent / folder).glob("*.py")
    modules = [import_module(f"gpocli.{folder.replace('/', '.')}.{file.stem}") for file in files]
    return [module for module in modules if hasattr(module, "EXTENSION")]


@pytest.mark.parametrize(("folder", "hook"), HOOKS.items(), ids=HOOKS)
def test_every_file_with_an_extension_is_given(folder, hook):
    assert {id(one) for one in hook()} == {id(module.EXTENSION) for module in modules_in(folder)}


@pytest.mark.parametrize("folder", HOOKS)
def test_a_file_is_named_for_its_extension(folder):
    assert all(module.__name__.endswith(f".{module.EXTENSION.name}") for module in modules_in(folder))
