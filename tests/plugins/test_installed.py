"""Example and broken packages, installed with pip for real, and seen by a program of its own."""

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tests.cli.command import Folder

PLUGINS = Path(__file__).parents[2] / "plugins"
EXAMPLES = ["gpo-algorithm-sapo", "gpo-filter-fewest-lines", "gpo-reward-distinct-words"]

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
    environment = {**os.environ, "PYTHONPATH": str(target), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
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
    lines, words, sapo = plugins["fewest_lines"], plugins["distinct_words"], plugins["sapo"]
    assert (lines["distribution"], lines["version"], lines["filters"], lines["state"]) == (
        "gpo-filter-fewest-lines", "0.1.0", ["fewest_lines"], "ok",
    )  # fmt: skip
    assert (words["distribution"], words["rewards"], words["state"]) == (
        "gpo-reward-distinct-words", ["distinct_words"], "ok",
    )  # fmt: skip
    assert (sapo["distribution"], sapo["algorithms"], sapo["state"]) == ("gpo-algorithm-sapo", ["sapo"], "ok")
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


def gpo(examples, folder, *arguments):
    """Run `gpo ARGUMENTS` in `folder`, with the examples installed."""
    environment = {**os.environ, "PYTHONPATH": str(examples), "OMP_NUM_THREADS": "1", "COLUMNS": "200"}
    command = [sys.executable, "-m", "gpocli", *map(str, arguments)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False, cwd=folder)


def test_an_algorithm_has_its_command_with_its_own_flags(examples, tmp_path):
    done = gpo(examples, tmp_path, "train", "sapo", "-h")
    assert (done.returncode, done.stderr) == (0, "")
    assert "Soft Adaptive Policy Optimization: fade a token out with the distance of its ratio from 1" in done.stdout
    assert "--temperature-neg" in done.stdout
    assert "--epsilon" not in done.stdout
    assert "sapo" in gpo(examples, tmp_path, "train", "-h").stdout


@pytest.mark.slow
def test_an_algorithm_is_checked_and_trains(examples, tmp_path, tiny_model):
    (tmp_path / "data.jsonl").write_text("".join(f'{{"prompt": "say {i}", "answer": "{i}"}}\n' for i in range(8)))
    flags = ["--model", tiny_model, "--data", "data.jsonl", "--filter", "fewest_lines", "-G", 4, "-k", 2]
    flags += ["--prompts-per-step", 2, "--max-tokens", 8, "--temperature-neg", 1.2]
    done = gpo(examples, tmp_path, "check", "--algorithm", "sapo", *flags)
    assert done.returncode == 0, done.stderr
    assert "run:       sapo 2/4 fewest_lines on" in done.stdout
    done = gpo(examples, tmp_path, "train", "sapo", *flags, "--steps", 2, "--out", "out")
    assert done.returncode == 0, done.stderr
    assert "temperature_neg: 1.2" in (tmp_path / "out" / "spec.yaml").read_text()
    assert (tmp_path / "out" / "model" / "config.json").is_file()


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_check_of_an_example_finds_nothing(examples, tmp_path, name):
    folder = Folder(tmp_path / "work", tmp_path / "streams")
    done = folder.gpo("plugins", "check", name, PYTHONPATH=str(examples))
    assert (done.code, done.stderr) == (0, "")


def test_own_tests_of_the_examples_pass(examples):
    own = [PLUGINS / name for name in EXAMPLES]
    done = run(examples, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "pytest_timeout", *own)
    assert done.returncode == 0, done.stdout
    assert "9 passed" in done.stdout


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
    assert (plugins["gpo_taken"]["state"], plugins["builtin"]["state"]) == ("renamed", "ok")
    (fault,) = plugins["gpo_taken"]["faults"]
    assert fault == "plugin 'gpo_taken': filter 'length' is built in; name its own as gpo-taken:length"
    assert plugins["gpo_taken"]["filters"] == ["gpo-taken:length"]


def test_what_is_not_broken_works_and_what_is_needed_tells_the_cause(broken):
    done = run(broken, "-c", textwrap.dedent("""
        from gpocli.errors import GpoError
        from gpocli.plugin_manager import load_plugins
        host = load_plugins()
        print(host.build_filter("random").name)
        for name in ("length", "gpo-taken:length", "mine"):
            try:
                print(host.build_filter(name).name)
            except GpoError as error:
                print(error.exit_code, error)
    """))  # fmt: skip
    *works, missing = done.stdout.splitlines()
    assert works == ["random", "length", "gpo-taken:length"]
    assert missing.startswith("3 unknown filter 'mine'; there are: ")
    assert "RuntimeError: no licence" in missing
