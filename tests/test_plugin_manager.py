"""Plugins are loaded each on its own, are traceable, and are built by name, file or module."""

import json
import subprocess
import sys
import textwrap

import pytest

from gpocli.contracts.filter import GroupFilter
from gpocli.contracts.installed import BrokenPlugin
from gpocli.errors import PluginError, SpecError
from gpocli.plugin_manager import load_plugins

GOOD = """
    import gpocli
    from pydantic import BaseModel

    class Options(BaseModel):
        weight: float = 1.0

    def build(options):
        def weighted(group_completions, group_rewards):
            return [[options.weight * len(text) for text in group] for group in group_completions]
        return weighted

    @gpocli.hookimpl
    def gpo_filters():
        return [gpocli.FilterExtension("NAME", build, "the longest text", options=Options)]
"""


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Put a distribution into a folder on the path: its module, its metadata and its entry point."""
    monkeypatch.syspath_prepend(tmp_path)
    made = []

    def install(distribution, code, *, name=None, version="1.0"):
        module = distribution.replace("-", "_")
        made.append(module)
        (tmp_path / f"{module}.py").write_text(textwrap.dedent(code))
        metadata = tmp_path / f"{module}-{version}.dist-info"
        metadata.mkdir()
        (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: {version}\n")
        (metadata / "entry_points.txt").write_text(f"[gpo]\n{name or module} = {module}\n")
        return tmp_path / f"{module}.py"

    yield install
    for module in made:
        sys.modules.pop(module, None)


def test_builtins_come_first_and_say_where_they_are_from():
    host = load_plugins(entry_points=False)
    assert [plugin.name for plugin in host.plugins] == ["builtin"]
    assert list(host.filters) == ["length", "contrast", "token_efficiency", "adaptive_difficulty", "correct", "random"]
    length = host.filters["length"]
    assert (length.plugin, length.distribution) == ("builtin", "gpocli")
    assert length.origin.startswith("plugin 'builtin' (gpocli ")
    assert length.file.endswith("plugin.py")


def test_builtin_plugin_is_loaded_once():
    assert [plugin.name for plugin in load_plugins().plugins].count("builtin") == 1
    assert not load_plugins().broken


def test_installed_plugin_is_found_with_its_provenance(install):
    file = install("gpo-longest", GOOD.replace("NAME", "longest"), name="longest_text", version="2.1")
    host = load_plugins()
    found = host.filters["longest"]
    assert (found.plugin, found.distribution, found.version, found.file) == (
        "longest_text", "gpo-longest", "2.1", str(file),
    )  # fmt: skip
    assert host.plugins[1].given.names("filter") == ("longest",)
    assert "longest" not in load_plugins(entry_points=False).filters


def test_installed_filter_is_built_with_its_options(install):
    install("gpo-longest", GOOD.replace("NAME", "longest"))
    named = load_plugins().build_filter("longest", {"weight": 2})
    assert named.name == "longest"
    assert GroupFilter([named]).score([["a", "bbb"]], [[0, 0]]) == [[(2.0,), (6.0,)]]


HOOK = "import gpocli\n@gpocli.hookimpl\ndef "
BROKEN = {
    "raises-on-import": ("raise RuntimeError('no licence')", "RuntimeError: no licence (raises_on_import.py:1)"),
    "needs-missing": (
        "import not_there_at_all",
        "ModuleNotFoundError: No module named 'not_there_at_all' (needs_missing.py:1)",
    ),
    "leaves": ("import sys\nsys.exit(3)", "SystemExit: 3 (leaves.py:2)"),
    "wrong-argument": (
        HOOK + "gpo_filters(config): return []",
        "Plugin 'wrong_argument' for hook 'gpo_filters' hookimpl definition: gpo_filters(config) Argument(s) "
        "{'config'} are declared in the hookimpl but can not be found in the hookspec",
    ),
    "wrong-hook": (HOOK + "gpo_filter(): return []", "unknown hook 'gpo_filter'; did you mean 'gpo_filters'?"),
    "wrong-type": (HOOK + "gpo_filters(): return 3", "gpo_filters returned 3 (int); return a list of FilterExtension"),
    "half-way": (
        GOOD.replace("NAME", "half") + "\n    @gpocli.hookimpl\n    def gpo_rewards(): raise KeyError('words')\n",
        "KeyError: 'words' (half_way.py:18)",
    ),
}  # fmt: skip


@pytest.mark.parametrize("distribution", BROKEN)
def test_broken_plugin_is_recorded_and_breaks_nothing_else(install, distribution):
    code, reason = BROKEN[distribution]
    install(distribution, code)
    install("gpo-longest", GOOD.replace("NAME", "longest"))
    host = load_plugins()
    assert host.broken == [BrokenPlugin(distribution.replace("-", "_"), distribution, "1.0", reason)]
    assert host.build_filter("longest").name == "longest"
    assert host.build_filter("length").name == "length"
    assert "half" not in host.filters


def test_name_that_a_broken_plugin_may_have_given_tells_the_cause(install):
    install("gpo-lines", "raise RuntimeError('no licence')", name="lines")
    with pytest.raises(PluginError) as caught:
        load_plugins().build_filter("fewest_lines")
    assert str(caught.value) == (
        "unknown filter 'fewest_lines'; there are: adaptive_difficulty, contrast, correct, length, random, "
        "token_efficiency; if a broken plugin gives it, mend that: plugin 'lines' (gpo-lines 1.0) is broken: "
        "RuntimeError: no licence (gpo_lines.py:1)"
    )
    assert caught.value.exit_code == 3


def test_unknown_name_is_answered_with_the_nearest():
    with pytest.raises(SpecError) as caught:
        load_plugins(entry_points=False).build_filter("lenght")
    assert str(caught.value) == "unknown filter 'lenght'; did you mean 'length'?"
    assert caught.value.exit_code == 2


def test_filter_is_no_reward():
    with pytest.raises(SpecError) as caught:
        load_plugins(entry_points=False).build_reward("length")
    assert str(caught.value) == "'length' is a filter, not a reward; name it as a filter"


def test_name_that_two_plugins_claim_is_refused_and_both_are_named(install):
    install("gpo-one", GOOD.replace("NAME", "longest"))
    install("gpo-two", GOOD.replace("NAME", "longest"))
    host = load_plugins()
    assert "longest" not in host.filters
    with pytest.raises(PluginError) as caught:
        host.build_filter("longest")
    assert str(caught.value) == (
        "filter 'longest' is claimed by plugin 'gpo_one' (gpo-one 1.0) and plugin 'gpo_two' (gpo-two 1.0); "
        "uninstall all but one"
    )
    assert host.clashes_of(host.plugins[1]) == ["filter 'longest' is also claimed by plugin 'gpo_two' (gpo-two 1.0)"]
    assert host.build_filter("length").name == "length"


def test_a_name_that_is_built_in_stays_so_and_who_takes_it_is_named_by_its_distribution(install):
    install("gpo-rival", GOOD.replace("NAME", "length"))
    host = load_plugins()
    assert host.find("filter", "length").plugin == "builtin"
    assert host.find("filter", "gpo-rival:length").plugin == "gpo_rival"
    assert [host.build_filter(name).name for name in ("length", "gpo-rival:length")] == ["length", "gpo-rival:length"]
    assert host.clashes == []
    assert host.names_of(host.plugins[1], "filter") == ("gpo-rival:length",)
    assert host.renamed == ["plugin 'gpo_rival': filter 'length' is built in; name its own as gpo-rival:length"]


def test_filter_and_reward_may_share_a_name(install):
    code = GOOD.replace("NAME", "words") + (
        '\n    @gpocli.hookimpl\n    def gpo_rewards(): return [gpocli.RewardExtension("words", build, "")]\n'
    )
    install("gpo-words", code)
    host = load_plugins()
    assert host.build_filter("words").name == host.build_reward("words").name == "words"


def test_options_are_checked_by_the_extensions_own_model(install):
    install("gpo-longest", GOOD.replace("NAME", "longest"))
    with pytest.raises(SpecError) as caught:
        load_plugins().build_filter("longest", {"wieght": 2})
    assert str(caught.value) == "filter 'longest': unknown option 'wieght'; did you mean 'weight'?"


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (
            "lambda options: 1 / 0",
            "filter 'bad' of plugin 'gpo_bad' (gpo-bad 1.0) could not be built: ZeroDivisionError: division by zero "
            "(gpo_bad.py:4); check its options",
        ),
        (
            "lambda options: 7",
            "filter 'bad' of plugin 'gpo_bad' (gpo-bad 1.0) built 7 (int); its build must return a callable",
        ),
    ],
)
def test_build_that_fails_is_the_plugins_fault(install, build, message):
    install("gpo-bad", HOOK + f'gpo_filters():\n    return [gpocli.FilterExtension("bad", {build}, "")]')
    with pytest.raises(PluginError) as caught:
        load_plugins().build_filter("bad")
    assert str(caught.value) == message


def test_filter_in_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text("class Longest:\n    def __init__(self, weight=1): self.weight = weight\n"
        "    def __call__(self, group_completions, group_rewards):\n"
        "        return [[self.weight * len(t) for t in group] for group in group_completions]\n")  # fmt: skip
    host = load_plugins(entry_points=False)
    named = host.build_filter("./mine.py:Longest", {"weight": 3})
    assert GroupFilter([named]).score([["a", "bb"]], [[0, 0]]) == [[(3.0,), (6.0,)]]
    found = host.find("filter", "./mine.py:Longest")
    assert (found.distribution, found.file) == (None, str(tmp_path / "mine.py"))


def test_columns_of_a_reward_are_those_it_declares_or_cannot_do_without(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text("def steps(completions, min_steps, finished, bonus=1): return []\n")
    host = load_plugins(entry_points=False)
    assert host.build_reward("./mine.py:steps").columns == ("min_steps",)
    assert host.build_reward("accuracy").columns == ("answer",)
    assert host.build_reward("accuracy", {"answer_column": "gold"}).columns == ("gold",)


def test_strict_makes_an_error_of_all_that_is_wrong(install, monkeypatch):
    install("gpo-broken", "raise RuntimeError('no licence')", name="broken")
    install("gpo-rival", GOOD.replace("NAME", "length"), name="rival")
    monkeypatch.setenv("GPO_PLUGINS_STRICT", "0")
    assert len(load_plugins().broken) == 1
    monkeypatch.setenv("GPO_PLUGINS_STRICT", "1")
    with pytest.raises(PluginError) as caught:
        load_plugins()
    assert str(caught.value).splitlines() == [
        "plugin 'broken' (gpo-broken 1.0) is broken: RuntimeError: no licence (gpo_broken.py:1)",
        "plugin 'rival': filter 'length' is built in; name its own as gpo-rival:length",
    ]


def test_loading_is_light():
    code = (
        "import sys, json; from gpocli.plugin_manager import load_plugins; load_plugins()\n"
        "print(json.dumps(sorted({m.partition('.')[0] for m in sys.modules})))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    heavy = {"torch", "transformers", "trl", "datasets", "numpy", "pandas", "pyarrow", "sympy", "math_verify"}
    assert heavy.isdisjoint(json.loads(done.stdout))
