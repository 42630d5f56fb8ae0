"""`gpo plugins`: what each plugin gave and where it is from, an author's check, and a package to start from."""

import json
import sys
import textwrap

import pytest

from gpocli import __version__
from gpocli.cli.plugins import list_plugins
from gpocli.contracts.installed import BrokenPlugin
from gpocli.plugin_manager import load_plugins
from tests.cli.in_process import User

LONGEST = """
    import gpocli
    from gpocli.contracts.completion import completion_text

    def longest(group_completions, group_rewards):
        return [[len(completion_text(one)) for one in group] for group in group_completions]

    @gpocli.hookimpl
    def gpo_filters():
        return [gpocli.FilterExtension("longest", lambda options: longest, "keep the longest text")]
"""
SLOPPY = """
    import gpocli
    from pydantic import BaseModel, Field

    class Options(BaseModel):
        scale: float = 1.0
        shift: float = Field(0.0, description="Is added.")

    def build(options):
        return lambda completions, **columns: [options.scale for _ in completions]

    @gpocli.hookimpl
    def gpo_rewards():
        return [gpocli.RewardExtension("accuracy", build, " ", options=Options)]
"""


@pytest.fixture
def user(tmp_path, monkeypatch, capsys):
    return User(tmp_path, monkeypatch, capsys)


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Put a distribution on the path: its module, its metadata and its entry point."""
    folder = tmp_path / "installed"
    folder.mkdir()
    monkeypatch.syspath_prepend(folder)
    made = []

    def install(distribution, code, *, name, described=True):
        module = distribution.replace("-", "_")
        made.append(module)
        (folder / f"{module}.py").write_text(textwrap.dedent(code))
        metadata = folder / f"{module}-1.0.dist-info"
        metadata.mkdir()
        head = f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.0\n"
        (metadata / "METADATA").write_text(head + ("Requires-Dist: gpocli\n\nWhat it is for.\n" if described else ""))
        (metadata / "entry_points.txt").write_text(f"[gpo]\n{name} = {module}\n")
        return folder / f"{module}.py"

    yield install
    for module in made:
        sys.modules.pop(module, None)


@pytest.fixture
def host():
    """The built-in plugin and one that is broken, whose name looks like markup."""
    host = load_plugins(entry_points=False)
    host.broken.append(BrokenPlugin("[red]", "gpo-red", "2.0", "RuntimeError: no [licence] (red.py:1)"))
    return host


@pytest.fixture
def with_host(user, monkeypatch, host):
    monkeypatch.setattr("gpocli.plugin_manager.load_plugins", lambda: host)
    return user


def test_table_has_a_line_for_each_plugin_and_the_reason_below(with_host):
    said = with_host.gpo("plugins", "list")
    assert (said.code, said.err) == (0, "")
    lines = said.out.splitlines()
    kinds = ["filters", "rewards", "guards", "algorithms"]
    assert lines[0].split() == ["plugin", "distribution", "version", *kinds, "state"]
    assert lines[1].split() == ["builtin", "gpocli", __version__, "length", "accuracy", "weights", "gfpo", "ok"]
    assert lines[2].split() == ["contrast", "exact", "not_finite", "gmpo"]
    assert lines[-2].split() == ["[red]", "gpo-red", "2.0", "broken"]
    assert lines[-1] == "plugin '[red]' (gpo-red 2.0) is broken: RuntimeError: no [licence] (red.py:1)"


def test_json_has_everything(with_host):
    builtin, broken = json.loads(with_host.gpo("plugins", "list", "--json").out)
    assert builtin["name"] == "builtin"
    assert builtin["filters"][0] == "length"
    assert builtin["state"] == "ok"
    assert broken == {
        "name": "[red]",
        "distribution": "gpo-red",
        "version": "2.0",
        "file": None,
        "filters": [],
        "rewards": [],
        "guards": [],
        "algorithms": [],
        "state": "broken",
        "faults": ["plugin '[red]' (gpo-red 2.0) is broken: RuntimeError: no [licence] (red.py:1)"],
    }


def test_rows_are_loaded_ones_first(host):
    assert [row.state for row in list_plugins(host)] == ["ok", "broken"]


def test_names_are_never_cut(user, monkeypatch):
    monkeypatch.setenv("COLUMNS", "20")
    assert "adaptive_difficulty" in user.gpo("plugins", "list").out


def test_broken_plugin_is_told_below_the_filters(with_host):
    said = with_host.gpo("filters", "list")
    assert said.code == 0
    assert said.out.splitlines()[-1] == (
        "plugin '[red]' (gpo-red 2.0) is broken: RuntimeError: no [licence] (red.py:1)"
    )


def test_show(user, install):
    file = install("gpo-longest", LONGEST, name="long")
    shown = [
        "plugin long: ok",
        "distribution: gpo-longest 1.0",
        f"file: {file}",
        "filter longest: keep the longest text",
    ]
    assert user.gpo("plugins", "show", "long").out.splitlines() == shown
    assert user.gpo("plugins", "show", "gpo-longest").out.splitlines() == shown
    told = json.loads(user.gpo("plugins", "show", "long", "--json").out)
    assert (told["filters"], told["state"], told["version"]) == (["longest"], "ok", "1.0")


def test_show_of_a_broken_one_and_of_none(user, install):
    install("gpo-longest", "import nothing_of_the_kind", name="long")
    assert user.gpo("plugins", "show", "long").out.splitlines() == [
        "plugin long: broken",
        "distribution: gpo-longest 1.0",
        "file: -",
        "plugin 'long' (gpo-longest 1.0) is broken: ModuleNotFoundError: No module named 'nothing_of_the_kind' "
        "(gpo_longest.py:1)",
    ]
    said = user.gpo("plugins", "show", "lond")
    assert (said.code, said.out, said.err) == (2, "", "no plugin 'lond'; did you mean 'long'?\n")


def test_no_plugins_leaves_installed_ones_out(user, install):
    install("gpo-longest", LONGEST, name="long")
    assert "longest" in user.gpo("filters", "list").out
    assert "longest" not in user.gpo("--no-plugins", "filters", "list").out


def test_some_plugins_by_environment(user, install, monkeypatch):
    install("gpo-longest", LONGEST, name="long")
    install("gpo-broken", "1 / 0", name="broken")
    monkeypatch.setenv("GPO_PLUGINS", "long")
    said = user.gpo("filters", "list")
    assert "longest" in said.out
    assert "broken" not in said.out
    monkeypatch.setenv("GPO_PLUGINS", "lung")
    said = user.gpo("filters", "list")
    assert (said.code, said.err) == (
        2, "GPO_PLUGINS names 'lung', which is no installed plugin; did you mean 'long'?\n",
    )  # fmt: skip


def test_strict_makes_a_broken_plugin_an_error(user, install):
    install("gpo-broken", "1 / 0", name="broken")
    assert user.gpo("filters", "list").code == 0
    said = user.gpo("--strict", "filters", "list")
    assert (said.code, said.out, said.err) == (
        3,
        "",
        "plugin 'broken' (gpo-broken 1.0) is broken: ZeroDivisionError: division by zero (gpo_broken.py:1)\n",
    )


def test_check_of_the_builtin_plugin_finds_nothing(user):
    said = user.gpo("plugins", "check", "builtin", "--rows", 2)
    assert (said.code, said.err) == (0, "")
    assert said.out.splitlines()[:4] == [
        f"plugin 'builtin' (gpocli {__version__})",
        "check                         finding",
        "loads                         6 filters, 12 rewards, 12 guards, 7 algorithms",
        "filter length                 sound",
    ]
    assert said.out.count("sound") >= 11  # the reward gym is tried only where its extra is installed


def test_check_of_all_installed_ones(user, install):
    said = user.gpo("plugins", "check")
    assert said.out == ("no plugin is installed besides the built-in one; name ./file.py or the folder of a package\n")
    install("gpo-longest", LONGEST, name="long")
    install("gpo-broken", "1 / 0", name="broken")
    said = user.gpo("plugins", "check")
    assert said.code == 3
    assert said.out.splitlines() == [
        "plugin 'long' (gpo-longest 1.0)",
        "check           finding",
        "package         gpo-longest 1.0",
        "loads           1 filter, 0 rewards, 0 guards, 0 algorithms",
        "filter longest  sound",
        "plugin 'broken'",
        "check  finding",
        "loads  no",
    ]
    assert said.err == (
        "plugin 'broken' (gpo-broken 1.0) is broken: ZeroDivisionError: division by zero (gpo_broken.py:1)\n"
    )


def test_check_is_as_strict_with_an_installed_package_as_with_its_folder(user, install):
    install("gpo-longest", LONGEST, name="long", described=False)
    said = user.gpo("plugins", "check", "long")
    assert (said.code, said.err.splitlines()) == (
        3,
        [
            "'gpo-longest' does not depend on gpocli; write dependencies = [\"gpocli\"] in its pyproject.toml",
            "'gpo-longest' has no README; write README.md, and readme = \"README.md\" in its pyproject.toml",
        ],
    )


def test_check_tells_all_that_is_wrong_with_a_file(user):
    user.write("sloppy.py", textwrap.dedent(SLOPPY))
    said = user.gpo("plugins", "check", "./sloppy.py", "--rows", 2)
    assert said.code == 3
    assert said.out.splitlines() == [
        "plugin ./sloppy.py",
        "check            finding",
        "loads            0 filters, 1 reward, 0 guards, 0 algorithms",
        "reward accuracy  4 faults",
    ]
    assert said.err.splitlines() == [
        f"reward 'accuracy' is also claimed by plugin 'builtin' (gpocli {__version__}); choose another name",
        "reward 'accuracy' has no summary; write one line that says what it does",
        "option 'scale' of reward 'accuracy' has no description; write a docstring under it",
        'reward "accuracy" is 1 for all 14 completions: a run learns nothing from it; mend it, or try recorded '
        "completions with --run",
    ]
    told = json.loads(user.gpo("plugins", "check", "./sloppy.py", "--rows", 2, "--json").out)
    assert told[0]["faults"] == said.err.splitlines()


def test_check_of_a_package_folder(user):
    user.write("pack/pyproject.toml", '[project]\nname = "gpo-pack"\n[project.entry-points.gpo]\nlong = "pack_long"\n')
    user.write("pack/src/pack_long.py", textwrap.dedent(LONGEST))
    said = user.gpo("plugins", "check", "pack", "--rows", 2)
    sys.modules.pop("pack_long")
    assert said.code == 3
    assert said.out.splitlines() == [
        "plugin 'long' in pack",
        "check           finding",
        "package         gpo-pack",
        "loads           1 filter, 0 rewards, 0 guards, 0 algorithms",
        "filter longest  sound",
    ]
    assert said.err.splitlines() == [
        "'pack/pyproject.toml' does not depend on gpocli; write dependencies = [\"gpocli\"]",
        "'pack' has no README; write README.md, which says what it is for",
    ]


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("lenght", "no plugin 'lenght'; there are: builtin (or name ./file.py or a folder)\n"),
        ("./none.py", "plugin './none.py': no such file; check the path, which starts at FOLDER\n"),
        (
            ".",
            "'pyproject.toml' names no plugin; write [project.entry-points.gpo] with a line such as "
            'my_name = "my_module"\n',
        ),
    ],
)
def test_check_of_what_is_no_plugin(user, target, message):
    said = user.gpo("plugins", "check", target)
    assert (said.out, said.err) == ("", message.replace("FOLDER", str(user.folder)))
    assert said.code == 2


def test_check_of_a_file_without_hooks(user):
    user.write("empty.py", "")
    said = user.gpo("plugins", "check", "./empty.py")
    assert (said.code, said.err) == (
        3,
        "plugin ./empty.py is broken: it has no hook; define gpo_filters, gpo_rewards, gpo_guards or gpo_algorithms "
        "with @gpocli.hookimpl\n",
    )


def test_reward_whose_column_the_data_lacks_is_not_tried(user):
    code = LONGEST.replace("gpo_filters", "gpo_rewards").replace("FilterExtension", "RewardExtension")
    user.write("mine.py", textwrap.dedent(code).replace("group_completions, group_rewards", "completions, topic"))
    said = user.gpo("plugins", "check", "./mine.py")
    assert (said.code, said.err) == (0, "")
    assert said.out.splitlines()[-1] == (
        "reward longest  not tried: embedded has no column 'topic'; name data with --data"
    )


def test_new(user):
    said = user.gpo("plugins", "new", "Fewest-Words", "--kind", "filter", "--dir", "mine")
    assert (said.code, said.err) == (0, "")
    assert said.out.splitlines() == [
        "wrote mine/gpo-filter-fewest-words:",
        "  gpo_filter_fewest_words.py",
        "  README.md",
        "  pyproject.toml",
        "  tests/test_fewest_words.py",
        "next:",
        "  gpo plugins check mine/gpo-filter-fewest-words",
        "  pip install -e mine/gpo-filter-fewest-words",
        "  gpo filters test fewest_words",
    ]
    said = user.gpo("plugins", "new", "Fewest-Words", "--kind", "filter", "--dir", "mine")
    assert (said.code, said.err) == (
        2,
        "'mine/gpo-filter-fewest-words' is there already; choose another name, or another folder with --dir\n",
    )


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "length",
            f"there is a filter 'length' already, of plugin 'builtin' (gpocli {__version__}); choose another name\n",
        ),
        ("2nd", "'2nd' cannot be a name; write letters, digits and _, starting with a letter\n"),
        ("a/b", "'a/b' cannot be a name; write letters, digits and _, starting with a letter\n"),
    ],
)
def test_new_with_a_name_that_cannot_be(user, name, message):
    said = user.gpo("plugins", "new", name, "--kind", "filter")
    assert (said.code, said.out, said.err) == (2, "", message)
    assert list(user.folder.iterdir()) == []
