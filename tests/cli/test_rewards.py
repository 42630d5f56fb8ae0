"""`gpo rewards`: listed, shown and tried without a model, to the letter."""

import json

import pytest

from gpocli import __version__
from gpocli.plugin_manager import load_plugins
from tests.cli.in_process import User, without_times
from tests.cli.recorded_run import write_run

BUILTIN = load_plugins(entry_points=False).rewards
REWARDS = """
import random
from gpocli.contracts.completion import completion_text


def zero(completions):
    return [0.0 for _ in completions]


def lots(completions):
    return [random.random() for _ in completions]


def too_few(completions):
    return [1.0]


def infinite(completions):
    return [float("inf") for _ in completions]


def words(completions):
    return [float(len(text.split())) for text in completions]


def characters(completions):
    return [float(len(completion)) for completion in completions]


def greedy(completions, completion_ids):
    completion_ids[0].append(1)
    return [float(len(completion_text(completion))) for completion in completions]


def steps(completions, min_steps):
    return [1.0 for _ in completions]


def never(completions):
    return [None for _ in completions]


def prompt_length(completions, gpo_row):
    return [float(row) for row in gpo_row]


async def slowly(completions, answer, **columns):
    return [float(gold in completion_text(text)) for text, gold in zip(completions, answer)]
"""


@pytest.fixture
def user(tmp_path, monkeypatch, capsys):
    user = User(tmp_path, monkeypatch, capsys)
    user.write("mine.py", REWARDS)
    return user


def test_list(user):
    said = user.gpo("rewards", "list")
    assert (said.code, said.err) == (0, "")
    lines = said.out.splitlines()
    assert lines[:2] == [
        "name                   from          summary",
        f"accuracy               gpocli {__version__}  1 for a right answer, 0 for a wrong one (numbers exactly, "
        "formulas by algebra)",
    ]
    assert [line.split()[0] for line in lines[1:]] == [
        "accuracy", "exact", "think_format", "length_penalty", "overlong", "length_aware_accuracy", "gym",
        "repetition", "language", "code", "judge", "model",
    ]  # fmt: skip


def test_list_as_json(user):
    said = user.gpo("rewards", "list", "--json")
    first = json.loads(said.out)[0]
    assert first.pop("file").endswith("plugin.py")
    assert first == {
        "name": "accuracy",
        "summary": "1 for a right answer, 0 for a wrong one (numbers exactly, formulas by algebra)",
        "plugin": "builtin",
        "distribution": "gpocli",
        "version": __version__,
        "options": ["answer_column", "opening", "last_number", "choices", "row_seconds", "batch_seconds"],
    }


def test_show(user):
    lines = user.gpo("rewards", "show", "exact").out.splitlines()
    assert lines[1].startswith(f"from: plugin 'builtin' (gpocli {__version__}), ")
    assert lines[:1] + lines[2:] == [
        "reward exact: 1 when the text after thinking is the gold answer, letter by letter",
        "columns: answer",
        "options:",
        "  answer_column: text; default answer",
        "    The data column with the gold answers.",
        "  case_sensitive: true or false; default true",
        "    Whether capitals matter.",
        "  strip: true or false; default true",
        "    Whether white space around the two texts is left out.",
        "  opening: one of auto, prompt, completion; default auto",
        "    Where the opening think tag stands; with `prompt` a completion that never closes the block is wrong.",
    ]


def test_show_of_a_function_in_a_file(user):
    said = user.gpo("rewards", "show", "./mine.py:steps")
    assert said.out.splitlines() == [
        "reward steps: not packaged",
        f"from: {user.folder / 'mine.py'}",
        "columns: min_steps",
        "options: none",
    ]


def test_show_as_json(user):
    shown = json.loads(user.gpo("rewards", "show", "length_penalty", "--json").out)
    assert shown["columns"] == "none"
    assert shown["options"][0] == {
        "name": "target_tokens",
        "wanted": "a whole number at least 0",
        "default": "0",
        "doc": "Tokens that are free.",
    }


def test_unknown_name(user):
    said = user.gpo("rewards", "show", "acuracy")
    assert (said.code, said.out, said.err) == (2, "", "unknown reward 'acuracy'; did you mean 'accuracy'?\n")


def test_test_on_made_up_completions(user):
    said = user.gpo("rewards", "test", "accuracy", "--rows", 4)
    assert (said.code, said.err) == (0, "")
    assert without_times(said.out).splitlines() == [
        f"reward accuracy of plugin 'builtin' (gpocli {__version__})",
        "28 made-up completions of 4 rows of embedded",
        "",
        "completion     number  none  lowest  mean  highest",
        "gold, bare          4     0       1     1        1",
        "gold, thought       4     0       1     1        1",
        "gold, boxed         4     0       1     1        1",
        "gold, long          4     0       1     1        1",
        "wrong               4     0       0     0        0",
        "empty               4     0       0     0        0",
        "cut                 4     0       0     0        0",
        "",
        "check          finding",
        "values         28 numbers from 0 to 1",
        "same again     yes",
        "text and chat  the same",
        "columns        answer (needed)",
        "race           yes, the bound holds",
        "spread         4 of 4 groups",
        "time           # a completion",
    ]


OWN_OPTIONS = {"judge", "model"}
"""They need a server or a model: tests/builtin/rewards/test_every_reward.py tries them."""


@pytest.mark.parametrize(
    "name",
    [one for one, reward in BUILTIN.items() if set(reward.extension.columns) <= {"answer"} and one not in OWN_OPTIONS],
)
def test_every_builtin_reward_passes(user, name):
    said = user.gpo("rewards", "test", name, "--rows", 4)
    assert (said.code, said.err) == (0, "")


def test_async_reward_passes(user):
    assert user.gpo("rewards", "test", "./mine.py:slowly").code == 0


FAULTS = {
    "zero": 'reward "zero" is 0 for all 14 completions: a run learns nothing from it; mend it, or try recorded '
    "completions with --run\n",
    "never": 'reward "never" is None for all 14 completions: it never applies; mend it, or try recorded completions '
    "with --run\n",
    "prompt_length": 'reward "prompt_length" is the same for all completions of a prompt: a run learns nothing from '
    "it; mend it, or try recorded completions with --run\n",
    "too_few": 'reward "too_few" returned 1 values for 14 completions; return one number, or None, a completion\n',
    "infinite": 'reward "infinite" returned inf for row 0; return a finite number, or None where it does not apply\n',
    "words": "reward \"words\" failed on a batch of 14: AttributeError: 'list' object has no attribute 'split' "
    "(mine.py:23); mend it, or let it return None for a completion it cannot score; it works with text but not with "
    "chat messages: take the text with gpocli.contracts.completion.completion_text\n",
    "greedy": 'reward "greedy" changes its argument "completion_ids", which others are given too; change a copy\n',
}


@pytest.mark.parametrize("name", FAULTS)
def test_fault_is_a_line_and_exit_code_3(user, name):
    said = user.gpo("rewards", "test", f"./mine.py:{name}", "--rows", 2)
    assert (said.code, said.err) == (3, FAULTS[name])


def test_text_and_chat_that_differ(user):
    said = user.gpo("rewards", "test", "./mine.py:characters", "--rows", 2)
    assert said.code == 3
    # A chat completion is a list of one message; the row's answer is three digits long or so.
    assert said.err.splitlines()[0].startswith('reward "characters" gives 1 with chat messages and ')
    assert said.err.splitlines()[0].endswith(
        " with text for the completion 'gold, bare' of embedded: row 1; take the text with "
        "gpocli.contracts.completion.completion_text"
    )


def test_values_that_change_from_call_to_call(user):
    said = user.gpo("rewards", "test", "./mine.py:lots")
    assert said.code == 3
    assert said.err.endswith(
        "for the completion 'gold, bare' of embedded: row 1; make it depend on its arguments alone\n"
    )
    assert "columns        not tried, for its values change from call to call\n" in said.out


def test_faults_as_json(user):
    said = user.gpo("rewards", "test", "./mine.py:zero", "--rows", 2, "--json")
    assert said.code == 3
    assert json.loads(said.out)["faults"] == [FAULTS["zero"].rstrip()]
    assert json.loads(said.out)["kinds"][0]["kind"] == "gold, bare"


def test_data_of_ones_own_with_other_column_names(user):
    user.write("data.jsonl", '{"question": "2+2=?", "gold": "4"}\n{"question": "3+4=?", "gold": "7"}\n')
    said = user.gpo("rewards", "test", "accuracy", "--data", "data.jsonl", "--map", "prompt=question")
    assert (said.code, said.out) == (2, "")
    assert said.err == (
        "data.jsonl: no column 'answer', which it needs; columns found: 'gold', 'prompt'; map one with "
        "--map answer=NAME\n"
    )
    maps = ("--map", "prompt=question", "--map", "answer=gold")
    assert user.gpo("rewards", "test", "accuracy", "--data", "data.jsonl", *maps).code == 0
    option = ("--map", "prompt=question", "--option", "answer_column=gold")
    assert user.gpo("rewards", "test", "accuracy", "--data", "data.jsonl", *option).code == 0


def test_data_without_a_prompt_tells_the_flag(user):
    user.write("data.jsonl", '{"question": "2+2=?"}\n')
    said = user.gpo("rewards", "test", "think_format", "--data", "data.jsonl")
    assert said.err == (
        "data.jsonl: no column 'prompt'; columns found: 'question'; map one with --map prompt=question\n"
    )


def test_data_without_answers(user):
    user.write("data.jsonl", '{"prompt": "say hello"}\n')
    said = user.gpo("rewards", "test", "think_format", "--data", "data.jsonl")
    assert said.code == 0
    assert said.out.splitlines()[1:6] == [
        "7 made-up completions of 1 row of data.jsonl",
        "the data has no column with answers; the completions answer 42",
        "",
        "completion   number  none  lowest  mean  highest",
        "42, bare          1     0       0     0        0",
    ]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--option", "bufer=1"], "reward 'overlong': unknown option 'bufer'; did you mean 'buffer'?\n"),
        (
            ["--option", "buffer=-1"],
            "reward 'overlong': option 'buffer' is -1; it should be greater than or equal to 0\n",
        ),
        (["--option", "buffer"], "--option 'buffer' is not NAME=VALUE; write --option buffer=VALUE\n"),
        (["--data", "none.jsonl"], "no such file 'none.jsonl'; check the path\n"),
        (["--run", "runs/none"], "'runs/none' is no run directory (it has no spec.yaml); check the path\n"),
    ],
)
def test_wrong_command_line(user, options, message):
    said = user.gpo("rewards", "test", "overlong", *options)
    assert (said.code, said.out) == (2, "")
    assert said.err == message


@pytest.fixture
def run(user):
    write_run(user)
    return user


def test_test_on_recorded_completions_with_the_options_of_the_run(run):
    said = run.gpo("rewards", "test", "length_penalty", "--run", "out")
    assert (said.code, said.err) == (0, "")
    assert without_times(said.out).splitlines() == [
        f"reward length_penalty of plugin 'builtin' (gpocli {__version__})",
        "3 recorded completions of 2 groups of out; 1 lost candidate of them left out, whose text is not whole",
        "",
        "completion  number  none     lowest  mean    highest",
        "kept             1     0          0     0          0",
        # -1 * (L - 1) / (4 - 1) for 2 and 3 tokens
        "rejected         2     0  -0.666667  -0.5  -0.333333",
        "",
        "check          finding",
        "values         3 numbers from -0.666667 to 0",
        "same again     yes",
        "text and chat  the same",
        "columns        none",
        "race           yes, the bound holds",
        "spread         1 of 1 group",
        "time           # a completion",
    ]


def test_recorded_rows_must_be_in_the_data(run):
    run.write("other.jsonl", '{"prompt": "1", "answer": "1"}\n')
    said = run.gpo("rewards", "test", "accuracy", "--run", "out", "--data", "other.jsonl")
    assert (said.code, said.err) == (
        2,
        "the candidates in 'out' answer row 2, which other.jsonl does not have; name the data of the run with --data\n",
    )


def test_recorded_completions_that_show_no_difference(run):
    said = run.gpo("rewards", "test", "./mine.py:zero", "--run", "out")
    assert (said.code, said.err) == (
        3,
        'reward "zero" is 0 for all 3 completions: a run learns nothing from it; mend it, or try another run\n',
    )
