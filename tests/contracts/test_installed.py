"""Installed plugins are found, chosen by name or distribution, and loaded each on its own."""

import sys
from importlib.metadata import EntryPoint

import pytest

from gpocli.contracts.installed import BrokenPlugin, LoadedPlugin, chosen, loaded, origin_of
from gpocli.errors import SpecError

BUILTIN = "gpocli.builtin.plugin"


@pytest.fixture
def modules(tmp_path, monkeypatch):
    """Make modules that can be imported, and forget them."""
    monkeypatch.syspath_prepend(tmp_path)
    made = []

    def make(name, code="", *, distribution=None):
        made.append(name)
        (tmp_path / f"{name}.py").write_text(code)
        if distribution:
            metadata = tmp_path / f"{distribution.replace('-', '_')}-1.0.dist-info"
            metadata.mkdir()
            (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.0\n")
            (metadata / "entry_points.txt").write_text(f"[gpo]\n{name} = {name}\n")
        return EntryPoint(name, name, "gpo")

    yield make
    for name in made:
        sys.modules.pop(name, None)


def test_a_plugin_is_loaded_with_its_file(modules, tmp_path):
    plugin = loaded(modules("gives_none", "import gpocli\n@gpocli.hookimpl\ndef gpo_filters(): return []"))
    assert isinstance(plugin, LoadedPlugin)
    assert plugin.file == str(tmp_path / "gives_none.py")
    assert plugin.given.names("filter") == ()


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("1 / 0", "ZeroDivisionError: division by zero (faulty.py:1)"),
        ("raise SystemExit(3)", "SystemExit: 3 (faulty.py:1)"),
    ],
)
def test_what_is_wrong_with_a_plugin_is_its_value(modules, code, reason):
    assert loaded(modules("faulty", code)) == BrokenPlugin("faulty", None, None, reason)


def test_all_are_chosen_but_the_built_in_one(modules, monkeypatch):
    modules("first", distribution="gpo-one")
    monkeypatch.delenv("GPO_PLUGINS", raising=False)
    names = [point.name for point in chosen(BUILTIN)]
    assert "first" in names
    assert "builtin" not in names


def test_some_are_chosen_by_name_or_distribution(modules, monkeypatch):
    for name, distribution in (("first", "gpo-one"), ("second", "gpo-two"), ("third", "gpo-three")):
        modules(name, distribution=distribution)
    monkeypatch.setenv("GPO_PLUGINS", "first, gpo-three")
    assert [point.name for point in chosen(BUILTIN)] == ["first", "third"]
    monkeypatch.setenv("GPO_PLUGINS", "")
    assert chosen(BUILTIN) == []


def test_a_chosen_one_that_is_not_installed_is_refused(modules, monkeypatch):
    modules("lines", distribution="gpo-lines")
    monkeypatch.setenv("GPO_PLUGINS", "lins")
    with pytest.raises(SpecError) as caught:
        chosen(BUILTIN)
    assert (
        str(caught.value)
        == "GPO_PLUGINS names 'lins', which is no installed plugin; did you mean 'lines' or 'gpo-lines'?"
    )


def test_where_a_plugin_comes_from():
    assert origin_of("lines", "gpo-filter-lines", "1.0") == "plugin 'lines' (gpo-filter-lines 1.0)"
    assert origin_of("./lines.py", None, None) == "plugin './lines.py'"
