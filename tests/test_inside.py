"""The page about the way of a filter's score names what is there, in the order in which it is called."""

import re
from pathlib import Path

import pytest

from tests.cli.command import Folder

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "inside.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| `([\w./]+)`: `(\w+)` \|", PAGE, re.MULTILINE)
FILTER = """
import traceback

def shortest(group_completions, group_rewards):
    with open("calls.txt", "w") as file:
        file.writelines(f"{frame.filename}:{frame.name}\\n" for frame in traceback.extract_stack())
    return [[-len(completion) for completion in group] for group in group_completions]

shortest.needs_rewards = False
"""


@pytest.mark.parametrize(("file", "name"), ROWS)
def test_a_row_names_what_its_file_defines(file, name):
    assert re.search(rf"^ *(def|class) {name}\b", (ROOT / file).read_text(encoding="utf-8"), re.MULTILINE)


@pytest.mark.parametrize("path", sorted(set(re.findall(r"`(gpocli/[\w./]+)`", PAGE))))
def test_a_path_that_it_names_is_there(path):
    assert (ROOT / path).exists()


@pytest.mark.slow
def test_the_calls_above_a_filter_are_rows_in_this_order(tmp_path, tiny_model):
    folder = Folder(tmp_path / "work", tmp_path / "streams")
    folder.write(mine_py=FILTER, a_jsonl='{"prompt": "say one"}\n{"prompt": "say two"}\n')
    done = folder.start(
        "train", "gfpo", "--filter", "./mine.py:shortest", "--model", str(tiny_model), "--data", "a.jsonl",
        "--reward", "think_format", "--steps", "1", "-G", "4", "-k", "2", "--max-tokens", "4",
        "--set", "batch.prompts_per_step=1",
    ).outcome()  # fmt: skip
    assert done.code == 0, done.stderr
    calls = (folder.path / "calls.txt").read_text().splitlines()
    called = [row for call in calls for row in ROWS if call.endswith(f"{row[0]}:{row[1]}")]
    assert called == [row for row in ROWS if row in called]
    assert len(called) >= 8
