"""`gpo generate`: prompts in, answers out, as text and as JSON."""

import json

import pytest

from tests.cli.in_process import User

ASK = ("generate", "embedded", "--max-tokens", 12, "--seed", 3)
KEYS = ["model", "number", "prompt", "candidate", "text", "tokens", "ended", "logp", "seed"]


@pytest.fixture
def user(tmp_path, monkeypatch, capsys):
    return User(tmp_path, monkeypatch, capsys)


def test_text_and_json_hold_the_same_answers(folder):
    folder.write(asked_txt="2+3=?\n7+8=?\n")
    as_json = folder.gpo(*ASK, "2+3=?", "7+8=?", "-n", 2, "--json")
    assert (as_json.code, as_json.stderr) == (0, "")
    answers = [json.loads(line) for line in as_json.lines]
    assert [list(one) for one in answers] == [KEYS] * 4
    assert [(one["number"], one["candidate"]) for one in answers] == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert answers[0]["prompt"] == [{"role": "user", "content": "2+3=?"}]

    texts = [one["text"] for one in answers]
    as_text = folder.gpo(*ASK, "--file", "asked.txt", "-n", 2)
    heads = ["2+3=? (1 of 2)", "2+3=? (2 of 2)", "7+8=? (1 of 2)", "7+8=? (2 of 2)"]
    assert as_text.stdout == "\n".join(f"{head}\n{text}\n" for head, text in zip(heads, texts, strict=True))
    cut = sum(not one["ended"] for one in answers)
    assert as_text.stderr == f"{cut} of 4 cut at 12 tokens; --max-tokens allows more\n"


def test_one_answer_to_standard_input_stands_alone(folder):
    script = (
        "import io, sys; sys.stdin = io.StringIO('2+3=?\\n'); sys.argv = ['gpo', *sys.argv[1:]]\n"
        "from gpocli.cli.main import main; main()"
    )
    done = folder.start_script("-c", script, *ASK).outcome()
    assert (done.code, done.stderr) == (0, "cut at 12 tokens; --max-tokens allows more\n")
    assert done.stdout.startswith("<think>")
    assert not done.stdout.startswith("2+3=?")


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (
            ("./none", "a"),
            2,
            "MODEL: model.name: no such folder './none'; write the path of a saved model, or a hub id",
        ),
        (("embedded", "a", "--file", "b.txt"), 2, "prompts stand on the command line and in --file; leave out one"),
        (("embedded", "--file", "b.txt"), 2, "cannot read 'b.txt' (No such file or directory); check the path\n"),
        (("embedded", "a", "--temperature", 0), 2, "--temperature: sampling.temperature: "),
        (("embedded", "a", "--set", "optim.lr=1"), 2, "--set optim.lr=1: "),
        (
            ("x", "a"),
            2,
            "MODEL: model.name: 'x' is a run that has no final model (it goes on, or ended early), and no ",
        ),
    ],
)
def test_what_cannot_be_asked_is_told_in_a_line_before_anything_loads(user, arguments, code, told):
    user.write("x/spec.yaml", "run: {steps: 3}\n")
    said = user.gpo("generate", *arguments)
    assert said.code == code
    assert told in said.err
    assert (said.out, said.err.count("\n")) == ("", 1)
