"""`gpo data`: sources checked and previewed, to the letter, without torch."""

import io
import json
import subprocess
import sys

import pytest

from gpocli.data.read import standard_input
from tests.cli.conftest import COUNT_A, GFPO, metrics
from tests.cli.in_process import User

SUMS = (
    '{"question": "2+3=?", "answer": "5"}\n{"question": "10+4=?", "answer": "14"}\n'
    '{"question": "2+3=?", "answer": "6"}\n{"question": "7+8=?", "answer": "ab cd"}\n'
)
FAULTY = '{"prompt": "a"}\n{"prompt": ""}\n{"prompt": \n{"prompt": " "}\n'


@pytest.fixture
def user(tmp_path, monkeypatch, capsys):
    user = User(tmp_path, monkeypatch, capsys)
    user.write("sums.jsonl", SUMS)
    user.write("faulty.jsonl", FAULTY)
    return user


def without_digest(text):
    return "".join(line for line in text.splitlines(keepends=True) if not line.startswith("sha256 "))


def test_sound_data_is_counted(user):
    said = user.gpo("data", "check", "sums.jsonl", "--map", "prompt=question")
    assert (said.code, without_digest(said.out)) == (
        0,
        "sums.jsonl: 4 rows, 4 with a usable prompt (plain text)\ncolumn  text\nanswer     4\nprompt     4\n",
    )
    assert said.err == (
        "note: sums.jsonl:3: the prompt of sums.jsonl:1 again, with another 'answer' ('6', not '5'); one of them is "
        "wrong\n"
    )


def test_the_digest_is_that_of_the_file(user):
    from hashlib import sha256

    said = user.gpo("data", "check", "sums.jsonl", "--map", "prompt=question")
    assert f"sha256 {sha256(SUMS.encode()).hexdigest()}\n" in said.out


def test_all_faults_are_told_at_once(user):
    said = user.gpo("data", "check", "faulty.jsonl", "--reward", "exact")
    assert (said.code, without_digest(said.out)) == (
        2,
        "faulty.jsonl: 3 rows, 1 with a usable prompt (plain text)\n"
        "column  text\n"
        "prompt     3\n"
        "reward exact needs 'answer': not there\n",
    )
    assert said.err == (
        "faulty.jsonl:3:1: not valid JSON (expecting value); write one JSON object a line\n"
        "faulty.jsonl:2: prompt is empty; mend it, or add --set data.bad_rows=drop (the first of 2)\n"
        "faulty.jsonl: reward 'exact' needs a column 'answer'; columns found: 'prompt'; map one with --map "
        "answer=NAME\n"
    )


@pytest.mark.parametrize(
    ("arguments", "code", "line"),
    [
        (
            ["sums.jsonl"],
            2,
            "sums.jsonl: no column 'prompt'; columns found: 'question', 'answer'; map one with --map prompt=question",
        ),
        (
            ["sums.jsonl", "--map", "prompt=qustion"],
            2,
            "sums.jsonl: no column 'qustion', which --map prompt names; columns found: 'question', 'answer'; did you "
            "mean 'question'?\n"
            "sums.jsonl: no column 'prompt'; columns found: 'question', 'answer'; map one with --map prompt=question",
        ),
        (["sum.jsonl"], 2, "no such file 'sum.jsonl'; did you mean 'sums.jsonl'?"),
        (["*.csv"], 2, "no file matches '*.csv'; check the pattern"),
        (["embedded", "--split", "test"], 2, "the embedded task has no split 'test'; write train or eval"),
        (
            ["sums.jsonl", "--reward", "acuracy"],
            2,
            "--reward: rewards.0.name: unknown reward 'acuracy'; did you mean 'accuracy'?",
        ),
        (["none.yaml"], 2, "none.yaml: there is no such file; check the path"),
    ],
)
def test_a_mistake_is_answered_with_what_to_write(user, arguments, code, line):
    said = user.gpo("data", "check", *arguments)
    assert (said.code, said.err) == (code, line + "\n")


def test_a_map_without_an_equals_sign_is_a_usage_error(user):
    said = user.gpo("data", "check", "sums.jsonl", "--map", "prompt")
    assert said.code == 2
    assert "'prompt' is not OURS=THEIRS; write --map prompt=question" in said.err


def test_gold_answers_that_cannot_be_read_are_counted(user):
    user.write("prose.jsonl", '{"prompt": "a", "answer": "1"}\n{"prompt": "b", "answer": ""}\n')
    said = user.gpo("data", "check", "prose.jsonl", "--reward", "accuracy")
    assert "reward accuracy needs 'answer': there, 1 cannot be read\n" in said.out
    assert said.err == (
        "note: prose.jsonl:2: 'answer', which a reward needs, is empty\n"
        "note: prose.jsonl:2: reward 'accuracy' cannot read 1 of 2 gold answers in the column 'answer'; their "
        "completions get no reward from it\n"
    )
    user.write("prose.jsonl", '{"prompt": "a", "answer": ""}\n')
    said = user.gpo("data", "check", "prose.jsonl", "--reward", "accuracy")
    assert said.code == 2
    assert said.err.endswith("name the column with the answers as option answer_column, or another reward\n")


def test_a_spec_says_what_to_look_at(user):
    user.write(
        "run.yaml",
        "data: {source: sums.jsonl, columns: {prompt: question}, eval_source: faulty.jsonl, chat: true}\n"
        "rewards: [exact]\n",
    )
    said = user.gpo("data", "check", "run.yaml")
    assert said.code == 2
    assert [line for line in said.out.splitlines() if "usable" in line] == [
        "sums.jsonl: 4 rows, 4 with a usable prompt (chat messages)",
        "faulty.jsonl (to evaluate on): 3 rows, 1 with a usable prompt (chat messages)",
    ]
    assert said.err.splitlines()[-3:] == [
        "faulty.jsonl: no column 'question', which data.columns.prompt names; columns found: 'prompt'; name one of "
        "these",
        "faulty.jsonl:2: prompt is empty; mend it, or set data.bad_rows=drop (the first of 2)",
        "faulty.jsonl: reward 'exact' needs a column 'answer'; columns found: 'prompt'; map one with "
        "--map answer=NAME (data.columns in a spec)",
    ]


def test_several_sources_and_a_folder(user):
    for name in ("a", "b"):
        user.write(f"set/{name}.jsonl", '{"prompt": "x"}\n')
    for sources in (["set"], ["set/*"], ["set/a.jsonl", "set/b.jsonl"]):
        said = user.gpo("data", "check", *sources)
        assert said.code == 0
        assert ": 2 rows, 2 with a usable prompt (plain text)\n" in said.out
        assert said.err == "note: set/b.jsonl:1: the prompt of set/a.jsonl:1 again\n"


def test_standard_input(user, monkeypatch):
    standard_input.cache_clear()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"prompt,answer\na,007\n")))
    said = user.gpo("data", "check", "-", "--reward", "exact")
    standard_input.cache_clear()
    assert (said.code, said.err) == (0, "")
    assert said.out.startswith("stdin: 1 row, 1 with a usable prompt (plain text)\n")


def test_json(user):
    said = user.gpo("data", "check", "faulty.jsonl", "--reward", "exact", "--json")
    told = json.loads(said.out)
    (source,) = told["sources"]
    assert (said.code, said.err, told["ok"]) == (2, "", False)
    assert source.pop("sha256").isalnum()
    assert source.pop("faults")[1] == (
        "faulty.jsonl:2: prompt is empty; mend it, or add --set data.bad_rows=drop (the first of 2)"
    )
    assert source == {
        "purpose": "train",
        "source": "faulty.jsonl",
        "rows": 3,
        "usable": 1,
        "chat": False,
        "columns": {"prompt": {"text": 3}},
        "rewards": [{"name": "exact", "needs": ["answer"], "missing": ["answer"], "unread": 0}],
        "notes": [],
        "named": {},
    }


# Preview


def test_a_preview_shows_what_the_model_gets(user):
    said = user.gpo(
        "data", "preview", "sums.jsonl", "--map", "prompt=question", "--set", "data.chat=true", "-n", 1,
        "--reward", "accuracy",
    )  # fmt: skip
    assert (said.code, said.err) == (0, "")
    assert said.out == (
        "sums.jsonl: 4 rows; columns: answer, prompt\n"
        "\n"
        "sums.jsonl:1, 7 tokens\n"
        "<|user|>2+3=?<|assistant|>\n"
        '  answer: "5"\n'
        "\n"
        "tokens a prompt: 7 at least, 7 in the median, 8 at most\n"
        "limit: 768 (the model's context of 1024 less 256 new tokens); 0 of 4 prompts over it (0.0%)\n"
        "reward accuracy needs 'answer': there\n"
    )


def test_a_preview_counts_prompts_over_the_limit(user):
    user.write("run.yaml", "data: {source: sums.jsonl, columns: {prompt: question}, max_prompt_tokens: 5}\n")
    said = user.gpo("data", "preview", "run.yaml", "-n", 0)
    assert "limit: 5 (data.max_prompt_tokens); 1 of 4 prompts over it (25.0%)\n" in said.out


def test_a_preview_without_rewards_tells_what_each_there_is_needs(user):
    said = user.gpo("data", "preview", "faulty.jsonl", "-n", 0)
    assert said.code == 2  # broken JSON has no rows to show
    user.write("good.jsonl", '{"prompt": "a"}\n{"prompt": ""}\n')
    said = user.gpo("data", "preview", "good.jsonl", "-n", 0)
    assert "reward exact needs 'answer': not there\n" in said.out
    assert said.err == ("note: dropped rows without a usable prompt: good.jsonl:2: prompt is empty (1 of 2 rows)\n")


def test_a_preview_of_another_model(user, tiny_model):
    said = user.gpo("data", "preview", "embedded", "-n", 1, "--model", tiny_model, "--json", "--reward", "exact")
    told = json.loads(said.out)
    assert (told["rows"], told["limit"], told["over"]) == (4096, 0, 4096)
    assert told["reason"].endswith(" leaves no room for a prompt in the model's context of 128 tokens; lower it")
    (shown,) = told["prompts"]
    assert shown["text"].endswith("=?:")  # its template
    assert shown["tokens"] == len(shown["text"])  # its tokens are characters


def test_the_limit_of_another_model_is_its_own(user, tiny_model):
    said = user.gpo("data", "preview", "embedded", "-n", 0, "--model", tiny_model, "--set", "sampling.max_tokens=16")
    assert "limit: 112 (the model's context of 128 less 16 new tokens); " in said.out


def test_neither_command_loads_torch(user):
    code = (
        "import sys\nfrom gpocli.cli.main import main\n"
        "for name in ('check', 'preview'):\n"
        "    sys.argv = ['gpo', 'data', name, 'sums.jsonl', '--map', 'prompt=question', '--reward', 'accuracy',\n"
        "                '--set', 'data.chat=true']\n"
        "    try: main()\n"
        "    except SystemExit: pass\n"
        "print(sorted({'torch', 'datasets', 'trl', 'pandas'} & sys.modules.keys()), file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=user.folder)
    assert done.stderr.splitlines()[-1] == "[]"


# Streaming


def losses(folder, name):
    return [(line["step"], line["loss"], line["reward"]) for line in metrics(folder.path / name)]


@pytest.mark.slow
def test_a_streamed_run_is_that_of_the_rows_in_memory_and_can_be_resumed(folder):
    """8 rows, 2 prompts a step: the fifth step begins the data anew."""
    run = (*GFPO, *COUNT_A, "--set", "data.shuffle=false", "--set", "run.save_every=3")
    streamed = (*run, "--set", "data.streaming=true")
    for arguments in (
        (*run, "--steps", 6, "--out", "memory"),
        (*streamed, "--steps", 6, "--out", "stream"),
        (*streamed, "--steps", 3, "--out", "resumed"),
        (*streamed, "--steps", 6, "--out", "resumed", "--resume"),
    ):
        done = folder.gpo(*arguments)
        assert (done.code, done.stderr) == (0, "")
    assert len(losses(folder, "memory")) == 6
    assert losses(folder, "memory") == losses(folder, "stream") == losses(folder, "resumed")


def test_what_streaming_does_not_go_with_is_told(folder):
    done = folder.gpo(
        "check", "--set", "data.source=data.jsonl", "--set", "data.streaming=true", "--set", "run.epochs=1",
        "--set", "run.steps=null", "--set", "trl.dataloader_num_workers=1",
    )  # fmt: skip
    assert (done.code, done.stderr) == (
        2,
        "--set data.streaming=true: data.streaming: streamed rows have no known number, so epochs have no end; write "
        "run.steps\n"
        "--set trl.dataloader_num_workers=1: trl.dataloader_num_workers: streamed rows are read by the trainer itself; "
        "leave this out\n",
    )
