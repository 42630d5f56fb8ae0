"""A new package is installed, listed, tested and run for real."""

import json
import os
import subprocess
import sys

import pytest

from gpocli.errors import SpecError
from gpocli.scaffold import extension_name, write_package
from tests.cli.command import Folder

KINDS = ["filter", "reward", "guard", "algorithm"]
TRIED = pytest.mark.parametrize("package", ["filter", "reward"], indirect=True)


def run(*arguments, path="", cwd=None):
    own = {"PYTHONPATH": str(path), "OMP_NUM_THREADS": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    environment = os.environ | own
    return subprocess.run(
        [sys.executable, *map(str, arguments)], env=environment, capture_output=True, text=True, check=False, cwd=cwd
    )


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A folder with the sources of a package of each kind, and with both installed in `installed`."""
    folder = tmp_path_factory.mktemp("packages")
    sources = [write_package("my_own", kind, folder)[0] for kind in KINDS]
    options = ["--quiet", "--disable-pip-version-check", "--no-index", "--no-deps", "--no-build-isolation"]
    done = run("-m", "pip", "install", *options, "--target", folder / "installed", *sources)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(params=KINDS)
def package(request, installed):
    """The kind of a package, its source folder, and the folder it is installed in."""
    return request.param, installed / f"gpo-{request.param}-my-own", installed / "installed"


@pytest.fixture
def gpo(package, tmp_path):
    """`gpo(*arguments)`: run a command where the package is installed."""
    folder = Folder(tmp_path / "work", tmp_path / "streams")
    return lambda *arguments: folder.gpo(*arguments, PYTHONPATH=str(package[2]))


def test_it_is_listed_with_its_provenance(package, gpo):
    kind, _, installed = package
    plugins = json.loads(gpo("plugins", "list", "--json").stdout)
    mine = next(plugin for plugin in plugins if plugin["distribution"] == f"gpo-{kind}-my-own")
    assert (mine["name"], mine["version"], mine["state"]) == ("my_own", "0.1.0", "ok")
    assert mine[f"{kind}s"] == ["my_own"]
    assert mine["file"] == str(installed / f"gpo_{kind}_my_own.py")


@TRIED
def test_trying_it_finds_nothing_wrong(package, gpo):
    kind, _, _ = package
    done = gpo(f"{kind}s", "test", "my_own")
    assert (done.code, done.stderr) == (0, "")
    assert done.stdout.startswith(f"{kind} my_own of plugin 'my_own' (gpo-{kind}-my-own 0.1.0)\n")


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ["gfpo", "my_own"])
def test_a_run_trains_with_all_of_them(installed, tiny_model, tmp_path, algorithm):
    rows = [{"prompt": f"say {number}", "answer": str(number)} for number in range(4)]
    (tmp_path / "data.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    small = "--steps 1 -G 4 -k 2 --prompts-per-step 1 --max-tokens 8 --out out".split()
    mine = ["--filter", "my_own", "--reward", "my_own"]
    command = ["train", algorithm, "--model", tiny_model, "--data", "data.jsonl", *mine, *small]
    done = run("-m", "gpocli", *command, path=installed / "installed", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out" / "model" / "config.json").is_file()


def test_its_own_tests_pass_without_installing_it(package):
    _, source, _ = package
    done = run("-m", "pytest", "-q", "-p", "no:cacheprovider", cwd=source)
    assert "3 passed" in done.stdout


def test_check_of_its_folder_finds_nothing_wrong(package, tmp_path):
    kind, source, _ = package
    done = Folder(tmp_path / "work", tmp_path / "streams").gpo("plugins", "check", source)
    assert (done.code, done.stderr) == (0, "")
    assert done.stdout.splitlines()[-1] == f"{kind} my_own  sound"


@TRIED
def test_its_readme_names_commands_and_options_that_are_there(package, gpo):
    kind, source, installed = package
    readme = (source / "README.md").read_text()
    shown = json.loads(gpo(f"{kind}s", "show", "my_own", "--json").stdout)
    for option in shown["options"]:
        assert f"`{option['name']}` (default {option['default']})" in readme
        assert option["doc"]
    assert f"gpo {kind}s test my_own" in readme
    assert f"--{kind} my_own" in readme
    assert installed.is_dir()


def test_it_is_a_whole_package_of_under_80_lines_that_ruff_likes(package):
    _, source, _ = package
    assert sum(len(file.read_text().splitlines()) for file in source.rglob("*.py")) < 80
    done = run(
        "-m", "ruff", "check", "--isolated", "--no-cache", "--line-length", 120, "--select", "E,F,I,B", cwd=source
    )
    assert done.returncode == 0, done.stdout
    written = [file for file in source.rglob("*.*") if file.is_file() and file.suffix != ".pyc"]
    assert not any("$" in file.read_text() or "$" in file.name for file in written)


@pytest.mark.parametrize("name", ["true", "class", "a__b", "x_"])
@pytest.mark.parametrize("kind", KINDS)
def test_odd_names_make_sound_code(tmp_path, name, kind):
    _, *files = write_package(name, kind, tmp_path)
    for file in files:
        if file.suffix == ".py":
            compile(file.read_text(), str(file), "exec")


def test_names_are_brought_into_form():
    assert extension_name(" Fewest-Words ") == "fewest_words"
    with pytest.raises(SpecError, match=r"^'' cannot be a name; write letters, digits and _, starting with a letter$"):
        extension_name("")
