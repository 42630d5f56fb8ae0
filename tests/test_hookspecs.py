"""The contract is on one screen: every hook is known to the host, takes nothing and says what it returns."""

import inspect

from gpocli import hookspecs
from gpocli.contracts.plugin import HOOKS


def hooks():
    return {name: value for name, value in vars(hookspecs).items() if hasattr(value, "gpo_spec")}


def test_host_knows_every_hook_and_no_other():
    assert set(hooks()) == set(HOOKS)


def test_each_hook_says_when_it_is_called_and_what_it_returns():
    for name, hook in hooks().items():
        assert "Return the " in hook.__doc__
        assert "Called " in hook.__doc__
        assert inspect.signature(hook).return_annotation == list[HOOKS[name]]


def test_hooks_take_no_argument():
    assert all(not inspect.signature(hook).parameters for hook in hooks().values())


def test_contract_fits_on_one_screen():
    assert len(inspect.getsource(hookspecs).splitlines()) <= 40
