"""What a plugin must look like, and how it is told when it does not."""

from types import ModuleType, SimpleNamespace
from typing import Literal

import pytest
from pluggy import PluginValidationError

from gpocli.contracts.plugin import HOOKS, PluginFault, check_extension, extensions_of
from gpocli.extensions import AlgorithmExtension, FilterExtension, NoOptions, RewardExtension
from gpocli.hookspecs import hookimpl
from gpocli.settings.algorithm import AlgorithmSection, FilteredSection


def build(options):
    return lambda group_completions, group_rewards: [[0.0 for _ in group] for group in group_completions]


LINES = FilterExtension("lines", build, "fewest lines")
WORDS = RewardExtension("words", build, "distinct words")


def module(**members):
    made = ModuleType("made_up_plugin")
    vars(made).update(members)
    return made


def plugin(*, filters=None, rewards=None):
    """A plugin module whose hooks return these; None: no such hook."""
    members = {}
    if filters is not None:
        members["gpo_filters"] = hookimpl(lambda: filters)
    if rewards is not None:
        members["gpo_rewards"] = hookimpl(lambda: rewards)
    return module(**members)


def test_what_the_hooks_return_is_what_a_plugin_gives():
    given = extensions_of(plugin(filters=[LINES], rewards=(WORDS,)))
    assert given.filters == (LINES,)
    assert given.rewards == (WORDS,)


def test_one_hook_is_enough_and_its_list_may_be_empty():
    assert extensions_of(plugin(rewards=[WORDS])).filters == ()
    assert extensions_of(plugin(filters=[])).filters == ()


def test_a_plugin_can_be_an_object():
    class Plugin:
        @hookimpl
        def gpo_filters(self):
            return [LINES]

    assert extensions_of(Plugin()).filters == (LINES,)


def test_one_plugin_does_not_see_another():
    extensions_of(plugin(filters=[LINES]))
    assert extensions_of(plugin(rewards=[WORDS])).filters == ()


def test_helper_named_like_a_hook_is_no_hook():
    given = extensions_of(module(gpo_helper=lambda: 1, gpo_filters=hookimpl(lambda: [LINES])))
    assert given.filters == (LINES,)


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (
            module(),
            "it has no hook; define gpo_filters, gpo_rewards, gpo_guards or gpo_algorithms with @gpocli.hookimpl",
        ),
        (module(gpo_filters=lambda: [LINES]), "'gpo_filters' is not marked; put @gpocli.hookimpl above it"),
        (
            module(gpo_filter=hookimpl(lambda: [LINES])),
            "unknown hook 'gpo_filter'; did you mean 'gpo_filters'?",
        ),
        (
            module(add=hookimpl(lambda: [LINES])),
            "unknown hook 'add'; there are: gpo_algorithms, gpo_filters, gpo_guards, gpo_rewards",
        ),
        (
            module(gpo_filters=hookimpl(lambda: None)),
            "gpo_filters returned None; return a list of FilterExtension",
        ),
        (
            plugin(filters=LINES),
            f"gpo_filters returned {repr(LINES)[:37]}... (FilterExtension); return a list of FilterExtension",
        ),
        (plugin(rewards=7), "gpo_rewards returned 7 (int); return a list of RewardExtension"),
        (
            plugin(filters=["lines"]),
            "gpo_filters returned 'lines' (str) in its list; return FilterExtension records",
        ),
        (
            plugin(filters=[WORDS]),
            f"gpo_filters returned {repr(WORDS)[:37]}... (RewardExtension) in its list; return FilterExtension records",
        ),
        (plugin(filters=[LINES, LINES]), "gpo_filters returned 'lines' twice; give each its own name"),
        (
            plugin(filters=[FilterExtension("Fewest-Lines", build, "")]),
            "'Fewest-Lines' cannot be a name; write lower-case letters, digits and _, starting with a letter",
        ),
        (
            plugin(filters=[FilterExtension(7, build, "")]),
            "7 cannot be a name; write lower-case letters, digits and _, starting with a letter",
        ),
        (
            plugin(filters=[FilterExtension("lines", "build", "")]),
            "the build of 'lines' is 'build' (str); give a function of the options",
        ),
        (
            plugin(filters=[FilterExtension("lines", build, None)]),
            "the summary of 'lines' is None; write one line of text",
        ),
        (
            plugin(filters=[FilterExtension("lines", build, "", options=dict)]),
            "the options of 'lines' are <class 'dict'> (type); give a class of pydantic.BaseModel",
        ),
        (
            plugin(filters=[FilterExtension("lines", build, "", options=NoOptions())]),
            "the options of 'lines' are NoOptions() (NoOptions); give a class of pydantic.BaseModel",
        ),
    ],
)
def test_what_breaks_the_contract_is_told(broken, message):
    with pytest.raises(PluginFault) as caught:
        extensions_of(broken)
    assert str(caught.value) == message


class Quick(FilteredSection):
    type: Literal["quick"] = "quick"


class Untyped(FilteredSection):
    pass


class Demanding(FilteredSection):
    type: Literal["quick"] = "quick"
    speed: int


def algorithm(**changed):
    fields = {"name": "quick", "title": "Quick", "summary": "quickly", "paper": "none", "section": Quick} | changed
    return AlgorithmExtension(**fields)


def test_algorithms_are_given_as_filters_are():
    assert extensions_of(module(gpo_algorithms=hookimpl(lambda: [algorithm()]))).algorithms == (algorithm(),)


def test_an_algorithm_takes_filters_where_its_section_does():
    assert algorithm().takes_filters
    assert not algorithm(section=AlgorithmSection).takes_filters


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"name": "Quick"}, "'Quick' cannot be a name; write lower-case letters, digits and _, starting with a letter"),
        ({"section": dict}, "the section of 'quick' is <class 'dict'> (type); give a class of gpocli.AlgorithmSection"),
        (
            {"name": "quicker"},
            'the section of \'quicker\' has another type; write type: Literal["quicker"] = "quicker"',
        ),
        ({"section": Untyped}, 'the section of \'quick\' has another type; write type: Literal["quick"] = "quick"'),
        (
            {"trainer": "quick.Trainer"},
            "the trainer of 'quick' is 'quick.Trainer' (str); write it as package.module:Class",
        ),
        (
            {"config": Quick},
            f"the config of 'quick' is {repr(Quick)[:37]}... (ModelMetaclass); write it as package.module:Class",
        ),
        ({"options": ["loss_type"]}, "'options' of 'quick' is ['loss_type'] (list); give a mapping of TRL's options"),
        ({"refused": {"delta": 1}}, "the refusal of 'delta' by 'quick' is 1 (int); write the reason"),
        (
            {"updates_per_generation": 0},
            "the updates_per_generation of 'quick' is 0 (int); give a whole number above 0",
        ),
        (
            {"section": Demanding},
            "the section of 'quick' cannot be made (ValidationError: 1 validation error for Demanding speed Field "
            "required [type=missing, input_value={'type': 'quick'}, ); give each field a sound default",
        ),
        ({"paper": None}, "the paper of 'quick' is None; write one line of text"),
        ({"summary": None}, "the summary of 'quick' is None; write one line of text"),
    ],
)
def test_an_algorithm_that_cannot_be_used_is_told(changed, message):
    with pytest.raises(PluginFault) as caught:
        check_extension(algorithm(**changed))
    assert str(caught.value) == message


def test_wrong_argument_of_a_hook_is_named_by_pluggy():
    with pytest.raises(PluginValidationError, match=r"'gpo_filters'\n.*\n.*{'config'} are declared"):
        extensions_of(module(gpo_filters=hookimpl(lambda config: [LINES])))


def test_error_in_a_hook_is_the_plugins_own():
    def fail():
        raise LookupError("no such model")

    with pytest.raises(LookupError, match="no such model"):
        extensions_of(module(gpo_filters=hookimpl(lambda: [LINES]), gpo_rewards=hookimpl(fail)))


@pytest.mark.parametrize("name", ["a", "fewest_lines", "top2"])
def test_names_are_lower_case_words(name):
    assert extensions_of(plugin(filters=[FilterExtension(name, build, "")])).filters[0].name == name


def test_marker_is_exported_from_the_root():
    import gpocli

    marked = SimpleNamespace(gpo_filters=gpocli.hookimpl(lambda: [LINES]))
    assert extensions_of(marked).filters == (LINES,)
    assert set(HOOKS) == {"gpo_filters", "gpo_rewards", "gpo_guards", "gpo_algorithms"}


def test_the_argument_of_a_reward_is_one_of_its_options():
    with pytest.raises(PluginFault, match=r"the argument of 'words' is 'path' \(str\), which is none of its options"):
        check_extension(RewardExtension("words", build, "distinct words", argument="path"))
