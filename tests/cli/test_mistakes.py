"""Mistakes that people make, in specs, data files, code and command lines, and to the letter what gpo says to them.

Together with the broken specs in `tests/spec/test_messages.py` and those in `test_check.py`.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.in_process import User

FILES = {
    "rows.jsonl": '{"prompt": "2+3=", "answer": "5"}\n' * 8,
    "broken.jsonl": '{"prompt": "a", "answer": "1"}\n{"prompt": \n',
    "empty.jsonl": "",
    "twice.jsonl": '{"prompt": "a", "prompt": "b", "answer": "1"}\n',
    "taken.jsonl": '{"prompt": "a", "answer": "1", "completions": "x"}\n',
    "mixed.jsonl": '{"prompt": "a", "answer": "1"}\n{"prompt": [{"role": "user", "content": "b"}], "answer": "1"}\n',
    "list.jsonl": "[1]\n",
    "blank.jsonl": '{"prompt": "  ", "answer": "1"}\n{"prompt": "", "answer": "1"}\n',
    "role.jsonl": '{"prompt": [{"role": "usr", "content": "b"}], "answer": "1"}\n',
    "last.jsonl": '{"prompt": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]}\n',
    "semicolon.csv": "prompt;answer\na;1\n",
    "Question.csv": "Question,answer\na,1\n",
    "wide.csv": "prompt,answer\na,1,2\n",
    "rows.txt": "a\n",
    "fails.py": "def score(completions, **columns):\n    return []\n\nWEIGHT = 3\n\nraise OSError('no disk')\n",
    "mine.py": "def score(completions, **columns):\n    return []\n\nWEIGHT = 3\n\n\nclass Best:\n"
    "    def __init__(self, limit):\n        self.limit = limit\n\n"
    "    def __call__(self, group_completions, group_rewards):\n        return []\n\n\n"
    "class Fragile:\n    def __init__(self):\n        raise RuntimeError('no licence')\n\n"
    "    def __call__(self, completions, **columns):\n        return []\n",
    "text.yaml": "gfpo\n",
    "tab.yaml": "run:\n\tsteps: 3\n",
    "colon.yaml": "data: {system: a: b}\n",
    "open.toml": "[run\nsteps = 3\n",
    "comma.json": '{"run": {"steps": 3,}}\n',
    "run.ini": "steps = 3\n",
    "nothing.yaml": "# only a comment\n",
}

SET, CHECK = "--set", "check"


def at_source(file, *more):
    return [CHECK, SET, f"data.source={file}", SET, "batch.prompts_per_step=1", *more]


MISTAKES = [
    # data files
    (at_source("broken.jsonl"), 2,
     "broken.jsonl:2:1: not valid JSON (expecting value); write one JSON object a line"),
    (at_source("empty.jsonl"), 2, "empty.jsonl: holds no rows; name a source that has some"),
    (at_source("taken.jsonl"), 2,
     "taken.jsonl: the column name 'completions' is taken (rewards and filters get something else under it); rename "
     "the column with --map data_completions=completions (data.columns in a spec)"),
    (at_source("mixed.jsonl"), 2,
     "mixed.jsonl:2: prompt is a list of messages, but plain text in the first row (mixed.jsonl:1); write all prompts "
     "of a source in one form"),
    (at_source("blank.jsonl"), 2,
     "blank.jsonl:1: prompt is empty; 2 of 2 rows have no usable prompt (2 times prompt is empty); mend them, or set "
     "data.bad_rows=drop"),
    (at_source("blank.jsonl", SET, "data.bad_rows=drop"), 2,
     "blank.jsonl:1: prompt is empty; 2 of 2 rows have no usable prompt (2 times prompt is empty); mend these rows"),
    (at_source("role.jsonl"), 2,
     "role.jsonl:1: message 1 has role 'usr', not one of system, developer, user, assistant, tool (1 of 1 rows); mend "
     "them, or set data.bad_rows=drop"),
    (at_source("last.jsonl"), 2,
     "last.jsonl:1: prompt ends with an assistant message, which is the policy's to write (1 of 1 rows); mend them, or "
     "set data.bad_rows=drop"),
    (at_source("Question.csv"), 2,
     "Question.csv: no column 'prompt'; columns found: 'Question', 'answer'; map one with "
     "--map prompt=Question (data.columns in a spec)"),
    (at_source("rows.jsonl", SET, "data.columns.prompt=promt"), 2,
     "rows.jsonl: no column 'promt', which data.columns.prompt names; columns found: 'prompt', 'answer'; did you mean "
     "'prompt'?"),
    (at_source("twice.jsonl"), 2,
     "twice.jsonl:1: cannot be read (key 'prompt' twice in one object); write one JSON object a line"),
    (at_source("list.jsonl"), 2,
     "list.jsonl:1: a list where an object is expected; write one JSON object a line"),
    (at_source("semicolon.csv"), 2,
     "semicolon.csv:1: the columns are separated by semicolons ('prompt;answer'); save it with commas"),
    (at_source("wide.csv"), 2,
     "wide.csv:2: 3 cells where the first line names 2 columns; quote cells that hold a comma"),
    (at_source("rows.txt"), 2,
     "--set data.source=rows.txt: data.source: cannot read 'rows.txt': its name ends in none of .jsonl, .ndjson, "
     ".json, .csv, .tsv, .parquet, .arrow; convert it first"),
    (at_source("./row.jsonl"), 2,
     "--set data.source=./row.jsonl: data.source: no such file './row.jsonl'; did you mean 'rows.jsonl'?"),
    (at_source("data/none.csv"), 2,
     "--set data.source=data/none.csv: data.source: no such file 'data/none.csv'; there is no folder 'data' either: "
     "check the path"),
    (at_source("."), 2,
     "--set data.source=.: data.source: '.' is a folder with files of several kinds (.csv, .json, .jsonl); name one "
     "file in it, or a pattern such as '*.csv'"),
    (at_source("'*.jsnl'"), 2,
     "--set data.source='*.jsnl': data.source: no file matches '*.jsnl'; check the pattern"),
    (at_source("data\\a.jsonl"), 2,
     "--set data.source=data\\a.jsonl: data.source: no such file 'data\\a.jsonl'; write the path with forward slashes "
     "(/)"),
    (at_source("embedded", SET, "data.split=test"), 2,
     "--set data.split=test: data.split: the embedded task has no split 'test'; write train or eval"),
    # spec files
    ([CHECK, "text.yaml"], 2, "text.yaml:1:1: holds text rather than keys; start with algorithm: {type: gfpo}"),
    ([CHECK, "tab.yaml"], 2, "tab.yaml:2:1: a tab cannot indent YAML; write spaces"),
    ([CHECK, "colon.yaml"], 2,
     "colon.yaml:1:17: a colon and a space make a key of what stands before them; put a text with them in quotes"),
    ([CHECK, "open.toml"], 2,
     "open.toml:1:5: not valid TOML: expected ']' at the end of a table declaration; mend it here"),
    ([CHECK, "comma.json"], 2,
     "comma.json:1:21: not valid JSON: expecting property name enclosed in double quotes; mend it here"),
    ([CHECK, "run.ini"], 2, "run.ini: has no known kind ('.ini'); name it .yaml, .yml, .toml or .json"),
    ([CHECK, "nothing.yaml"], 2, "nothing.yaml: is empty; write at least algorithm: {type: gfpo}"),
    ([CHECK, "txt.yaml"], 2, "txt.yaml: there is no such file; did you mean text.yaml?"),
    ([CHECK, "."], 2, ".: is a folder; name a file in it"),
    # code
    ([CHECK, SET, "rewards=[./fails.py:score]"], 3,
     "--set rewards=[./fails.py:score]: rewards.0.name: reward './fails.py' failed on import: OSError: no disk "
     "(fails.py:6); mend the file"),
    ([CHECK, SET, "rewards=[./mine.py:scor]"], 2,
     "--set rewards=[./mine.py:scor]: rewards.0.name: there is no 'scor' in './mine.py'; did you mean 'score'?"),
    ([CHECK, SET, "rewards=[./mine.py]"], 2,
     "--set rewards=[./mine.py]: rewards.0.name: reward './mine.py' does not say which name to take; write "
     "./mine.py:NAME"),
    ([CHECK, SET, "rewards=['./mine.py:WEIGHT']"], 3,
     "--set rewards=['./mine.py:WEIGHT']: rewards.0.name: reward './mine.py:WEIGHT' is 3 (int); name a function, a "
     "class or a RewardExtension"),
    ([CHECK, SET, "algorithm.filters=['./mine.py:Best']"], 2,
     "--set algorithm.filters=['./mine.py:Best']: algorithm.filters.0.options.limit: option 'limit' is missing; write "
     "it"),
    ([CHECK, SET, "algorithm.filters=['./mine.py:score']"], 3,
     "--set algorithm.filters=['./mine.py:score']: algorithm.filters.0.name: filter 'score' must take "
     "group_completions and group_rewards as its first two arguments"),
    ([CHECK, SET, "rewards=['./mine.py:Fragile']"], 3,
     "--set rewards=['./mine.py:Fragile']: rewards.0.name: reward './mine.py:Fragile' of plugin './mine.py:Fragile' "
     "could not be built: RuntimeError: no licence (mine.py:17); check its options"),
    ([CHECK, SET, "rewards=[no.such.module:score]"], 2,
     "--set rewards=[no.such.module:score]: rewards.0.name: reward 'no.such.module': no module 'no'; install it or "
     "check the name"),
    # sums
    ([CHECK, SET, "batch.micro_batch=7"], 2,
     "--set batch.micro_batch=7: batch.micro_batch: batch.prompts_per_step 8 x 8 kept = 64 rows a step, which do not "
     "split into micro-batches of 7; write batch.micro_batch: 4 or batch.micro_batch: 8"),
    ([CHECK, SET, "batch.prompts_per_step=4097"], 2,
     "embedded: needs at least 4097 prompts for one generation batch, has 4096; add rows, or lower "
     "batch.prompts_per_step or batch.updates_per_generation"),
    # flags of train
    (["train", "gfpo", "-k", "30"], 2,
     "--keep: algorithm.keep: keep 30 is more than group_size 24; write keep: 24 or less"),
    (["train", "gfpo", "--filter", "shortest"], 2,
     "--filter: algorithm.filters.0.name: unknown filter 'shortest'; there are: adaptive_difficulty, contrast, "
     "correct, length, random, token_efficiency"),
    (["train", "gmpo", "--reward", "accurcy=2"], 2,
     "--reward: rewards.0.name: unknown reward 'accurcy'; did you mean 'accuracy'?"),
    (["train", "grpo", "--data", "row.jsonl"], 2,
     "--data: data.source: no such file 'row.jsonl'; did you mean 'rows.jsonl'?"),
    (["train", "grpo", "--model", "./qwen"], 2,
     "--model: model.name: no such folder './qwen'; write the path of a saved model, or a hub id such as "
     "Qwen/Qwen3-0.6B"),
    (["train", "grpo", "--model", "Qwen/Qwen3-0.6B"], 2,
     "--model: data.source: no data is named to train 'Qwen/Qwen3-0.6B' on; name some, as in --data rows.jsonl, or "
     "data: {source: rows.jsonl} in a spec (--data embedded for the sums of the demo)"),
    (["train", "gfpo", "--temperature", "0"], 2,
     "--temperature: sampling.temperature: 0 is too small; write a number above 0, at most 100"),
    (["train", "gfpo", "--preset", "gmpo-7b"], 2,
     "--preset gmpo-7b: sets up gmpo, but gfpo is to train; see gpo presets list"),
    (["train", "gmpo", "--out", "rows.jsonl"], 2, "--out: run.dir: 'rows.jsonl' is a file; name a folder"),
    (["train", "gfpo", "--smoke", "--resume"], 2,
     "gpo train gfpo: Invalid value: --resume, --dry-run and --smoke do not go together; leave out all but one; see "
     "gpo train gfpo -h"),
    (["train", "gfpo", "--dry-run", "--filter", "shortest"], 2,
     "--filter: algorithm.filters.0.name: unknown filter 'shortest'; there are: adaptive_difficulty, contrast, "
     "correct, length, random, token_efficiency"),
    (["resume"], 2, "gpo: No such command 'resume'; write gpo train NAME --resume --out runs/<name>"),
    ([CHECK, SET, "optim.learning_rate=nan"], 2,
     "--set optim.learning_rate=nan: optim.learning_rate: 'nan' is not a finite number; write a number from 0 to 1"),
    (["config", "show", SET, "optim.lr=1"], 2,
     "--set optim.lr=1: optim.lr: unknown key; write optim.learning_rate"),
]  # fmt: skip


def write_files(folder):
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")


@pytest.mark.parametrize(("arguments", "code", "line"), MISTAKES, ids=lambda value: str(value)[:60])
def test_a_mistake_is_answered_with_what_to_write(tmp_path, monkeypatch, capsys, arguments, code, line):
    write_files(tmp_path)
    said = User(tmp_path, monkeypatch, capsys).gpo(*arguments)
    assert (said.err, said.code, said.out) == (line + "\n", code, "")


EVERY_ONE = """
import contextlib, json, sys
from gpocli.cli.main import main
for arguments in json.loads(sys.argv[1]):
    sys.argv = ["gpo", *arguments]
    with contextlib.suppress(SystemExit):
        main()
print([name for name in ("torch", "transformers", "trl", "datasets", "pandas") if name in sys.modules])
"""


@pytest.mark.slow  # tests/test_layers.py has a few of them
def test_none_of_them_loads_what_takes_seconds(tmp_path):
    write_files(tmp_path)
    commands = json.dumps([arguments for arguments, _, _ in MISTAKES])
    done = subprocess.run(
        [sys.executable, "-c", EVERY_ONE, commands], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "[]"


def test_nothing_is_left_behind(tmp_path, monkeypatch, capsys):
    write_files(tmp_path)
    user = User(tmp_path, monkeypatch, capsys)
    for arguments, _, _ in MISTAKES[-9:]:
        user.gpo(*arguments)
    assert {path.name for path in Path(tmp_path).iterdir()} - {"__pycache__"} == set(FILES)
