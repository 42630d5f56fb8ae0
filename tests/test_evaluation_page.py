"""docs/evaluation.md says what is: its commands parse, its names are those of the output and of the files."""

import re
import shlex
from pathlib import Path

import pytest

from gpocli.asking.source import find_asked
from gpocli.evaluation.figures import figures
from gpocli.measuring.plan import make_plan
from gpocli.measuring.prompts import Wanted
from tests.cli.in_process import User
from tests.cli.test_eval import KEYS
from tests.evaluation.test_figures import TWENTY

PAGE = (Path(__file__).parent.parent / "docs" / "evaluation.md").read_text(encoding="utf-8")
COMMANDS = [shlex.split(line.partition("  #")[0])[1:] for line in PAGE.splitlines() if line.startswith("gpo eval")]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_command_of_the_page_fails_only_for_want_of_the_model(tmp_path, monkeypatch, capsys, command):
    user = User(tmp_path, monkeypatch, capsys)
    for run in ("short", "short/checkpoints/checkpoint-50"):
        user.write(f"runs/{run}/spec.yaml", "run: {steps: 3}\n")
    said = user.gpo(*command)
    assert said.code == 2
    assert re.match("MODEL: model.name: (no such folder|'runs/short.* is a run that has no final model)", said.err)


def test_its_spec_is_sound(tmp_path, monkeypatch, capsys):
    user = User(tmp_path, monkeypatch, capsys)
    (spec,) = re.findall(r"```yaml\n(.*?)```", PAGE, flags=re.DOTALL)
    user.write("best.yaml", spec)
    assert user.gpo("check", "best.yaml").code == 0


def test_the_page_names_every_figure_and_every_key():
    facts = make_plan(find_asked("embedded"), Wanted(limit=1), (), None, samples=1, seed=0).facts()
    names = [*KEYS, *facts, *facts["data"], *figures(TWENTY)]
    assert [name for name in names if f"`{name}`" not in PAGE] == []
