"""The page for contributors names files and targets that are there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "contributing.md").read_text(encoding="utf-8")
FILES = sorted({text for text in re.findall(r"`([\w./-]+)`", PAGE) if "/" in text or Path(text).suffix})
EXAMPLE = {"gpocli/a/b.py": "gpocli/spec/load.py", "tests/a/test_b.py": "tests/spec/test_load.py"}
"""What stands for any module and its tests."""


@pytest.mark.parametrize("file", FILES)
def test_a_file_that_it_names_is_there(file):
    assert list(ROOT.glob(EXAMPLE.get(file, file).replace("NAME", "*")))


def test_a_target_that_it_names_is_one_of_the_makefile():
    named = {target for text in re.findall(r"`make ([a-z -]+)`", PAGE) for target in text.split()}
    assert named <= set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))


def test_a_module_that_it_runs_is_there():
    for module in re.findall(r"`python -m ([\w.]+)`", PAGE):
        assert (ROOT / module.replace(".", "/")).with_suffix(".py").is_file()


def test_its_links_lead_somewhere():
    for target in re.findall(r"\]\((?!http)([^)#]+)\)", PAGE):
        assert (ROOT / "docs" / target).exists(), target
