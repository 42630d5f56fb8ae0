"""Example and broken packages, installed with pip for real, and seen by a program of its own."""

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

PLUGINS = Path(__file__).parents[2] / "plugins"
EXAMPLES = ["gpo-filter-fewest-lines", "gpo-reward-distinct-words"]

PYPROJECT = """
    [build-system]
    requires = ["hatchling"]
    build-backend = "hatchling.build"

    [project]
    name = "{name}"
    version = "1.0"

    [project.entry-points.gpo]
    {module} = "{module}"

    [tool.hatch.build.targets.wheel]
    only-include = ["{module}.py"]
"""
CLAIM = """
    import gpocli

    @gpocli.hookimpl
    def gpo_filters():
        return [gpocli.FilterExtension("length", lambda options: print, "another length")]
"""
BROKEN = {
    "gpo-raises": "raise RuntimeError('no licence')",
    "gpo-wrong-argument": "import gpocli\n@gpocli.hookimpl\ndef gpo_filters(config): return []",
    "gpo-taken": CLAIM,
}


def pip_install(target, *packages):
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index"]
    command += ["--no-deps", "--no-build-isolation", "--target", str(target), *map(str, packages)]
    subprocess.run(command, check=True, capture_output=True, text=True)
    return target


def run(target, *arguments):
    environment = {**os.environ, "PYTHONPATH": str(target)}
    return subprocess.run(
        [sys.executable, *arguments], env=environment, capture_output=True, text=True, check=False, cwd=target
    )


def listed(target):
    code = "from gpocli.cli.plugins import app; app()"
    done = run(target, "-c", code, "list", "--json")
    assert done.returncode == 0, done.stderr
    return {plugin["name"]: plugin for plugin in json.loads(done.stdout)}


@pytest.fixture(scope="module")
def examples(tmp_path_factory):
    return pip_install(tmp_path_factory.mktemp("examples"), *(PLUGINS / name for name in EXAMPLES))


@pytest.fixture(scope="module")
def broken(tmp_path_factory):
    sources = tmp_path_factory.mktemp("sources")
    for name, code in BROKEN.items():
        module = name.replace("-", "_")
        (sources / name).mkdir()
        (sources / name / f"{module}.py").write_text(textwrap.dedent(code))
        (sources / name / "pyproject.toml").write_text(textwrap.dedent(PYPROJECT).format(name=name, module=module))
    return pip_install(tmp_path_factory.mktemp("broken"), *(sources / name for name in BROKEN))


def test_examples_are_listed_with_what_they_gave(examples):
    plugins = listed(examples)
    lines, words = plugins["fewest_lines"], plugins["distinct_words"]
    assert (lines["distribution"], lines["version"], lines["filters"], lines["state"]) == (
        "gpo-filter-fewest-lines", "0.1.0", ["fewest_lines"], "ok",
    )  # fmt: skip
    assert (words["distribution"], words["rewards"], words["state"]) == (
        "gpo-reward-distinct-words", ["distinct_words"], "ok",
    )  # fmt: skip
    assert lines["file"] == str(examples / "gpo_filter_fewest_lines.py")


def test_examples_are_built_by_name_with_options(examples):
    done = run(examples, "-c", textwrap.dedent("""
        from gpocli.contracts.filter import GroupFilter
        from gpocli.plugin_manager import load_plugins
        host = load_plugins()
        chain = GroupFilter([host.build_filter("fewest_lines", {"blank": True}), host.build_filter("length")])
        print(chain.name, chain.score([["a", "b\\n\\nc"]], None, completion_lengths=[[4, 2]]))
        print(host.build_reward("distinct_words", {"at_least": 1}).function(completions=["a a"]))
        try:
            host.build_filter("fewest_lines", {"blnk": True})
        except Exception as error:
            print(error)
    """))  # fmt: skip
    assert done.stdout.splitlines() == [
        "fewest_lines > length [[(-1.0, -4.0), (-3.0, -2.0)]]",
        "[0.5]",
        "filter 'fewest_lines': unknown option 'blnk'; did you mean 'blank'?",
    ]


def test_own_tests_of_the_examples_pass(examples):
    done = run(examples, "-m", "pytest", "-q", "-p", "no:cacheprovider", *(PLUGINS / name for name in EXAMPLES))
    assert done.returncode == 0, done.stdout
    assert "6 passed" in done.stdout


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_is_a_whole_package_of_under_80_lines(name):
    folder = PLUGINS / name
    assert (folder / "README.md").is_file()
    assert sum(len(file.read_text().splitlines()) for file in folder.rglob("*.py")) < 80


def test_broken_packages_are_listed_with_the_reason(broken):
    plugins = listed(broken)
    assert plugins["gpo_raises"]["faults"] == [
        "plugin 'gpo_raises' (gpo-raises 1.0) is broken: RuntimeError: no licence (gpo_raises.py:1)"
    ]
    assert plugins["gpo_wrong_argument"]["state"] == "broken"
    assert "{'config'} are declared in the hookimpl" in plugins["gpo_wrong_argument"]["faults"][0]
    assert plugins["gpo_taken"]["state"] == plugins["builtin"]["state"] == "clash"
    (fault,) = plugins["gpo_taken"]["faults"]
    assert fault.startswith("plugin 'gpo_taken': filter 'length' is also claimed by plugin 'builtin' (gpocli ")


def test_what_is_not_broken_works_and_what_is_needed_tells_the_cause(broken):
    done = run(broken, "-c", textwrap.dedent("""
        from gpocli.errors import GpoError
        from gpocli.plugin_manager import load_plugins
        host = load_plugins()
        print(host.build_filter("random").name)
        for name in ("length", "mine"):
            try:
                host.build_filter(name)
            except GpoError as error:
                print(error.exit_code, error)
    """))  # fmt: skip
    works, taken, missing = done.stdout.splitlines()
    assert works == "random"
    assert taken.startswith("3 filter 'length' is claimed by plugin 'builtin' (gpocli ")
    assert taken.endswith(") and plugin 'gpo_taken' (gpo-taken 1.0); uninstall all but one")
    assert missing.startswith("3 unknown filter 'mine'; there are: ")
    assert "RuntimeError: no licence" in missing
