"""`gpo` itself: help, usage errors, and plugins that are broken."""

import os
import resource
from pathlib import Path

import pytest

from tests.cli.conftest import COUNT_A, GFPO


def test_help_names_the_commands(folder):
    done = folder.gpo("--help")
    assert (done.code, done.stderr) == (0, "")
    assert "│ train" in done.stdout
    assert "│ plugins" in done.stdout


def test_help_of_train_shows_defaults_and_fits_a_page(folder):
    done = folder.gpo("train", "gfpo", "--help")
    assert "Clip range of the ratio (0.2)" in done.stdout
    assert max(len(line) for line in done.lines) <= 80


def test_help_is_quick_when_the_machine_is_busy(folder):
    def seconds() -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        assert folder.python_m_gpocli("--help").code == 0
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    assert min(seconds() for _ in range(3)) < 0.6  # 0.25 on a machine at rest


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (["trian"], "Did you mean 'train'?"),
        (["train", "gfop"], "Did you mean 'gfpo'?"),
        (["train", "gfpo", "--stepz", 1], "--steps"),
        (["train", "gfpo", "-k", "two"], "Invalid value for '-k' / '--keep'"),
        (["train", "gfpo", "--reward", "accuracy=much"], "write --reward accuracy=0.5"),
        (["train", "gfpo", "--map", "prompt"], "write --map prompt=question"),
    ],
)
def test_usage_errors_exit_2_and_say_what_to_write(folder, command, words):
    done = folder.gpo(*command)
    assert (done.code, done.stdout) == (2, "")
    assert words in " ".join(done.stderr.replace("│", " ").split())


def test_debug_shows_the_traceback(folder):
    done = folder.python_m_gpocli("--debug", *GFPO, "--filter", "nope")
    assert done.code == 1
    assert done.stderr.startswith("Traceback")
    assert "SpecError" in done.stderr


def test_escape_codes_are_left_out_off_a_terminal(folder):
    assert "\x1b" not in folder.gpo("train", "gfpo", "--help", COLUMNS="80").stdout


# Plugins


def install(site: Path, name: str, body: str) -> None:
    """A distribution `gpo-NAME` 1.0 whose plugin `NAME` has `body`."""
    module, info = f"gpo_{name}", site / f"gpo_{name}-1.0.dist-info"
    info.mkdir(parents=True)
    (site / f"{module}.py").write_text(body)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: gpo-{name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[gpo]\n{name} = {module}\n")


@pytest.fixture(scope="module")
def broken_site(tmp_path_factory):
    """Installed plugins: one raises, one has a wrong hook, one takes the name of a built-in filter."""
    site = tmp_path_factory.mktemp("site")
    install(site, "raises", "raise RuntimeError('no licence')\n")
    install(site, "hook", "import gpocli\n\n\n@gpocli.hookimpl\ndef gpo_filters(nonsense):\n    return []\n")
    install(
        site,
        "taken",
        "import gpocli\n\n\n@gpocli.hookimpl\ndef gpo_filters():\n"
        "    return [gpocli.FilterExtension('length', lambda options: len, 'mine')]\n",
    )
    return str(site)


RAISES = "plugin 'raises' (gpo-raises 1.0) is broken: RuntimeError: no licence (gpo_raises.py:1)"
HOOK = (
    "plugin 'hook' (gpo-hook 1.0) is broken: Plugin 'gpo_hook' for hook 'gpo_filters' hookimpl definition: "
    "gpo_filters(nonsense) Argument(s) {'nonsense'} are declared in the hookimpl but can not be found in the hookspec"
)


def test_broken_plugins_leave_help_alone(folder, broken_site):
    done = folder.gpo("--help", PYTHONPATH=broken_site)
    assert (done.code, done.stderr) == (0, "")


def test_list_says_what_is_wrong_with_each(folder, broken_site):
    done = folder.gpo("plugins", "list", PYTHONPATH=broken_site)
    assert done.code == 0
    assert RAISES in done.lines
    assert HOOK in done.lines
    assert (
        "plugin 'taken': filter 'length' is also claimed by plugin 'builtin' (gpocli 0.1.0); uninstall one of them"
        in done.lines
    )


def test_a_run_that_needs_no_broken_plugin_names_them_and_goes_on(folder, broken_site):
    done = folder.gpo(*GFPO, *COUNT_A, "--filter", "random", PYTHONPATH=broken_site)
    assert (done.code, done.stderr) == (0, "")
    assert done.lines[:2] == [HOOK, RAISES]


def test_a_run_that_needs_a_broken_plugin_exits_3_with_the_cause(folder, broken_site):
    done = folder.gpo(*GFPO, *COUNT_A, "--filter", "mystery", PYTHONPATH=broken_site)
    assert (done.code, done.stdout) == (3, "")
    assert done.stderr == (
        "--filter: algorithm.filters.0.name: unknown filter 'mystery'; there are: adaptive_difficulty, correct, "
        f"length, random, token_efficiency; if a broken plugin gives it, mend that: {HOOK}; {RAISES}\n"
    )
    assert not (folder.path / "out").exists()


def test_a_run_that_needs_a_taken_name_exits_3_with_both_claimants(folder, broken_site):
    done = folder.gpo(*GFPO, *COUNT_A, PYTHONPATH=broken_site)
    assert done.code == 3
    assert done.stderr.endswith(
        "filter 'length' is claimed by plugin 'builtin' (gpocli 0.1.0) and plugin 'taken' (gpo-taken 1.0); "
        "uninstall all but one\n"
    )


def test_a_plugin_on_the_path_of_another_folder_is_not_seen(folder):
    assert "gpo-taken" not in folder.gpo("plugins", "list", PYTHONPATH=os.devnull).stdout
