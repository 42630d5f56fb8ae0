"""`gpo` itself: help, usage errors, and plugins that are broken."""

import os
import re
from pathlib import Path

import pytest

from gpocli.cli.main import COMMANDS
from gpocli.cli.other_names import instead_of
from gpocli.spec.algorithms import algorithms
from gpocli.spec.trl_schema import trl_options
from tests.cli.conftest import COUNT_A, GFPO
from tests.cli.in_process import User


def test_help_names_the_commands(folder):
    done = folder.gpo("--help")
    assert (done.code, done.stderr) == (0, "")
    listed = re.findall(r"^│ ([a-z]+) ", done.stdout, re.MULTILINE)
    assert listed == [name for commands in COMMANDS.values() for name in commands]
    assert listed[:3] == ["train", "init", "check"]


def test_help_of_train_shows_defaults_and_fits_a_page(folder):
    done = folder.gpo("train", "gfpo", "--help")
    assert "Clip range of the ratio (0.2)" in done.stdout
    assert max(len(line) for line in done.lines) <= 80


@pytest.mark.parametrize(
    ("command", "line"),
    [
        (["trian"], "gpo: No such command 'trian'. Did you mean 'train'?; see gpo -h"),
        (["train", "gfop"], "gpo train: No such command 'gfop'. Did you mean 'gfpo'?; see gpo train -h"),
        (
            ["train", "gfpo", "--stepz", 1],
            "gpo train gfpo: No such option: --stepz (Possible options: --seed, --set, --steps); see gpo train gfpo -h",
        ),
        (
            ["train", "gfpo", "-k", "two"],
            "gpo train gfpo: Invalid value for '-k' / '--keep': Input should be a valid integer, unable to parse "
            "string as an integer; see gpo train gfpo -h",
        ),
        (
            ["train", "gfpo", "--reward", "accuracy=much"],
            "gpo train gfpo: Invalid value: 'accuracy=much': the weight 'much' is no number; write --reward "
            "accuracy=0.5; see gpo train gfpo -h",
        ),
        (
            ["train", "gfpo", "--map", "prompt"],
            "gpo train gfpo: Invalid value: 'prompt' is not OURS=THEIRS; write --map prompt=question; "
            "see gpo train gfpo -h",
        ),
        (["filters", "show"], "gpo filters show: Missing argument 'NAME'; see gpo filters show -h"),
        (["train", "gfpo", "--steps"], "gpo: Option '--steps' requires an argument; see gpo -h"),
    ],
)
def test_usage_errors_exit_2_with_one_line_that_says_what_to_write(folder, command, line):
    done = folder.gpo(*command)
    assert (done.code, done.stdout, done.stderr) == (2, "", line + "\n")


OTHER_NAMES = [
    ("train gfpo --num-generations 8", "--num-generations; write --group-size"),
    ("train gfpo --learning-rate=1e-5", "--learning-rate; write --lr"),
    ("train gmpo --max-completion-length 9", "--max-completion-length; write --max-tokens"),
    ("train dapo --per-device-train-batch-size 9",
     "--per-device-train-batch-size; write --set batch.micro_batch=VALUE"),
    ("train gspo -n 4", "-n; write --group-size"),
    ("check --lora-r 4", "--lora-r; write --set model.lora.rank=VALUE"),
    ("plan --num-remains-in-group 4", "--num-remains-in-group; write --keep"),
    ("config show --optim.weight_decay 0.1", "--optim.weight_decay; write --set optim.weight_decay=VALUE"),
    ("check --name a", "--name; write --model or --set run.name=VALUE"),
    ("train gfpo --adam-beta1 0.8", "--adam-beta1; write --set trl.adam_beta1=VALUE"),
    ("data check a.jsonl --max-prompt-length 4", "--max-prompt-length; write --set data.max_prompt_tokens=VALUE"),
    ("train gfpo --loss-type dapo",
     "--loss-type; gfpo always has loss_type: dapo (arXiv 2508.09726); remove it"),
    ("train grpo --filter length",
     "--filter; grpo has no filters, but gfpo, gmpo, gspo, dr_grpo, dapo and cispo have; write gpo train gfpo"),
    ("train grpo --num-remains-in-group 4",
     "--num-remains-in-group; grpo has no keep, but gfpo, gmpo, gspo, dr_grpo, dapo and cispo have; "
     "write gpo train gfpo"),
]  # fmt: skip


@pytest.mark.parametrize(("command", "answer"), OTHER_NAMES)
def test_names_of_trl_and_of_other_tools_are_answered_with_ours(tmp_path, monkeypatch, capsys, command, answer):
    said = User(tmp_path, monkeypatch, capsys).gpo(*command.split())
    (line,) = said.err.splitlines()
    assert (said.code, said.out) == (2, "")
    assert line.endswith(f": No such option: {answer}")


def test_every_option_of_trl_is_answered_as_a_flag():
    for algorithm in algorithms():
        for name in trl_options():
            assert instead_of(f"--{name.replace('_', '-')}", algorithm, ["--set"]), name


def test_help_loads_no_setting_and_no_plugin(folder):
    text = (
        "import sys; sys.argv = ['gpo', '--help']; from gpocli.cli.main import app; app(standalone_mode=False)\n"
        "print([name for name in ('pydantic', 'gpocli.settings', 'gpocli.plugin_manager') if name in sys.modules])"
    )
    assert folder.start_python("-c", text).outcome().lines[-1] == "[]"


@pytest.mark.parametrize("command", [[], ["train"]])
def test_a_command_that_lacks_its_subcommand_shows_the_help_and_nothing_else(folder, command):
    done = folder.gpo(*command)
    assert (done.code, done.stderr) == (2, "")
    assert done.stdout.strip().startswith("Usage: gpo")
    assert done.stdout.rstrip().endswith("╯")


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
    assert "plugin 'taken': filter 'length' is built in; name its own as gpo-taken:length" in done.lines


def test_a_run_that_needs_no_broken_plugin_names_them_and_goes_on(folder, broken_site):
    done = folder.gpo(*GFPO, *COUNT_A, "--filter", "random", PYTHONPATH=broken_site)
    assert (done.code, done.stderr) == (0, "")
    assert done.lines[:2] == [HOOK, RAISES]


def test_a_run_that_needs_a_broken_plugin_exits_3_with_the_cause(folder, broken_site):
    done = folder.gpo(*GFPO, *COUNT_A, "--filter", "mystery", PYTHONPATH=broken_site)
    assert (done.code, done.stdout) == (3, "")
    assert done.stderr == (
        "--filter: algorithm.filters.0.name: unknown filter 'mystery'; there are: adaptive_difficulty, contrast, "
        "correct, gpo-taken:length, length, random, token_efficiency; if a broken plugin gives it, mend that: "
        f"{HOOK}; {RAISES}\n"
    )
    assert not (folder.path / "out").exists()


def test_a_taken_name_is_the_built_in_one(folder, broken_site):
    done = folder.gpo("check", "--filter", "length", PYTHONPATH=broken_site)
    assert (done.code, done.lines[0]) == (0, "run:       gfpo 8/24 length on embedded")


def test_a_plugin_on_the_path_of_another_folder_is_not_seen(folder):
    assert "gpo-taken" not in folder.gpo("plugins", "list", PYTHONPATH=os.devnull).stdout
