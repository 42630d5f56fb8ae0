"""docs/sharing.md and docs/sweeps.md say what is: their commands parse, their names are those of the output."""

import re
import shlex
from pathlib import Path

import pytest

from tests.cli.in_process import User

DOCS = Path(__file__).parent.parent / "docs"
SHARING, SWEEPS = ((DOCS / f"{name}.md").read_text(encoding="utf-8") for name in ("sharing", "sweeps"))


def commands(page: str, name: str) -> list[list[str]]:
    lines = (line.partition("  #")[0] for line in page.splitlines() if line.startswith(f"gpo {name} "))
    return [shlex.split(line)[1:] for line in lines]


@pytest.fixture
def user(tmp_path, monkeypatch, capsys) -> User:
    return User(tmp_path, monkeypatch, capsys)


@pytest.mark.parametrize("command", commands(SHARING, "export"), ids=" ".join)
def test_an_export_of_the_page_fails_only_for_want_of_the_run(user, command):
    said = user.gpo(*command)
    assert (said.code, said.err.startswith("no run directory 'runs/")) == (2, True), said.err


@pytest.mark.parametrize("command", commands(SWEEPS, "sweep"), ids=" ".join)
def test_a_sweep_of_the_page_has_its_points(user, command):
    user.write("run.yaml", "algorithm: {type: gfpo, group_size: 8, keep: 4}\nrun: {steps: 1}\n")
    said = user.gpo(*command, *([] if "--print" in command else ["--print"]))
    assert said.code == 0, said.err
    assert (
        len(said.out.splitlines())
        == {"--seeds 3": 6, "--jobs 2": 4, "sweeps/filters": 2, "--print": 5}[
            next(
                end for end in ("--seeds 3", "--jobs 2", "sweeps/filters", "--print") if " ".join(command).endswith(end)
            )
        ]
    )


def test_the_page_of_sweeps_names_every_field_of_the_output():
    told = set(re.findall(r"`(\w+)`", SWEEPS))
    assert {"name", "path", "values", "outcome", "exit_code", "reason", "steps", "reward_first", "length_last"} <= told


def test_the_citation_of_the_page_is_one():
    block = next(iter(re.findall(r"```python\n(.*?)```", SHARING, flags=re.DOTALL)))
    names: dict = {}
    exec(block, names)
    assert names["CITATION"].year == 2026
