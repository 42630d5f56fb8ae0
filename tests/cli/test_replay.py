"""`gpo replay`: another filter on recorded completions, and a real run's own, which keeps the very same."""

import json

import pytest

from tests.cli.conftest import COUNT_A, QUICK
from tests.cli.in_process import User
from tests.runs.made_run import four, make_run, record


@pytest.fixture
def user(tmp_path, monkeypatch, capsys):
    user = User(tmp_path, monkeypatch, capsys)
    user.write("data.jsonl", '{"prompt": "2+2=?", "answer": "4"}\n')
    record(make_run(tmp_path / "a"), four(1, 0))
    return user


REPLAYED = """\
length, keeping 3, on 1 group of a

of the kept    recorded  replayed
groups                1         1
completions           2         3
with a reward         2         2
reward           1.0000    1.0000
length             1.50      2.00
flat groups        100%         -

the same are kept in 0 of 1 group; 100% of what the run kept is kept again
"""


def test_a_replay_is_told(user):
    done = user.gpo("replay", "a", "-k", "3")
    assert (done.code, done.out, done.err) == (0, REPLAYED, "")


def test_uncertain_groups_are_counted(user):
    out = user.gpo("replay", "a", "-k", "4").out
    assert "certain of 0 of 1 group: in the others a lost candidate might have been kept" in out


def test_a_replay_is_json(user):
    told = json.loads(user.gpo("replay", "a", "--json").out)
    assert list(told) == [
        *("run", "filter", "keep", "rewards", "notes", "groups", "certain_groups", "same", "overlap"),
        *("recorded", "replayed", "certain"),
    ]
    assert list(told["replayed"]) == ["groups", "kept", "rewarded", "reward", "length", "flat"]
    assert (told["same"], told["overlap"], told["recorded"] == told["replayed"]) == (1, 1.0, True)


def test_a_reward_is_asked(user):
    told = json.loads(user.gpo("replay", "a", "--reward", "length_penalty", "--filter", "correct", "--json").out)
    assert (told["rewards"], told["replayed"]["rewarded"]) == (["length_penalty"], 2)


def test_nothing_recorded_is_told(user):
    make_run(user.folder / "b")
    done = user.gpo("replay", "b")
    assert (done.code, done.err) == (2, "no completions are recorded in 'b'; name a run that has some\n")


def test_no_torch_is_loaded(user):
    import subprocess
    import sys

    program = "import sys; from gpocli.cli.main import app; app(['replay', 'a'], standalone_mode=False); "
    program += "print(sorted({'torch', 'trl', 'transformers', 'datasets'} & sys.modules.keys()))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == "[]", done.stderr


CHAINS = [("length",), ("token_efficiency",), ("correct", "length"), ("adaptive_difficulty",), ("random",)]


@pytest.mark.slow
@pytest.mark.parametrize("chain", CHAINS, ids=" > ".join)
def test_the_filter_of_a_real_run_keeps_what_it_kept(folder, chain):
    filters = [word for name in chain for word in ("--filter", name)]
    flags = ("train", "gfpo", *QUICK, "-k", 2, "--steps", 6, *COUNT_A)
    assert folder.gpo(*flags, *filters).code == 0
    told = json.loads(folder.gpo("replay", "out", "--json").stdout)
    assert told["same"] == told["groups"] == told["certain_groups"] == 12
    assert told["recorded"] == told["replayed"]
