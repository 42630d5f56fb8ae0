"""`gpo filters`: listed, shown and tried without a model, to the letter."""

import json

import pytest

from gpocli import __version__
from gpocli.plugin_manager import load_plugins
from tests.cli.in_process import User, without_times
from tests.cli.recorded_run import write_run

FILTERS = """
import random
from gpocli.contracts.completion import completion_text


def same(group_completions, group_rewards):
    return [[1 for _ in group] for group in group_completions]


def lots(group_completions, group_rewards):
    return [[random.random() for _ in group] for group in group_completions]


def later(group_completions, group_rewards):
    return [[len(completion_text(c)) + i for i, c in enumerate(group)] for group in group_completions]


def by_first_group(group_completions, group_rewards, completion_lengths):
    return [[-length / completion_lengths[0][0] for length in group] for group in completion_lengths]


def not_a_number(group_completions, group_rewards):
    return [[float("nan") for _ in group] for group in group_completions]


def efficiency(group_completions, group_rewards, completion_lengths):
    return [[r / n for r, n in zip(*pair)] for pair in zip(group_rewards, completion_lengths)]


def idle(group_completions, group_rewards, completion_lengths):
    return [[-length for length in group] for group in completion_lengths]


class LowBound:
    needs_rewards = False

    def __init__(self, slack=1):
        self.slack = slack

    def __call__(self, group_completions, group_rewards, completion_lengths):
        return [[-length for length in group] for group in completion_lengths]

    def score_bound(self, length):
        return -(length + self.slack)


class Ranks(LowBound):
    def __call__(self, group_completions, group_rewards, completion_lengths):
        return [[-length / max(group) for length in group] for group in completion_lengths]

    def score_bound(self, length):
        return 0


class Unsaved:
    def __call__(self, group_completions, group_rewards, completion_lengths):
        return [[-length for length in group] for group in completion_lengths]

    def keep_counts(self, keep, group_rewards):
        return [keep] * len(group_rewards)

    def state_dict(self):
        return {"seen": {1, 2}}

    def load_state_dict(self, state):
        pass
"""


@pytest.fixture
def user(tmp_path, monkeypatch, capsys):
    user = User(tmp_path, monkeypatch, capsys)
    user.write("mine.py", FILTERS)
    return user


def test_list(user):
    said = user.gpo("filters", "list")
    assert (said.code, said.err) == (0, "")
    assert said.out.splitlines() == [
        "name                 from          summary",
        f"length               gpocli {__version__}  keep the shortest completions, counted in tokens",
        f"contrast             gpocli {__version__}  keep short right answers beside long wrong ones: answers become "
        "shorter",
        f"token_efficiency     gpocli {__version__}  keep the completions with the most reward a token",
        f"adaptive_difficulty  gpocli {__version__}  keep the shortest completions, fewer of prompts that are easy by "
        "now",
        f"correct              gpocli {__version__}  keep right answers before wrong ones; to shorten answers, take "
        "contrast",
        f"random               gpocli {__version__}  keep completions by lot, as a control for the other filters",
    ]


def test_list_as_json(user):
    names = [one["name"] for one in json.loads(user.gpo("filters", "list", "--json").out)]
    assert names == ["length", "contrast", "token_efficiency", "adaptive_difficulty", "correct", "random"]


def test_show(user):
    lines = user.gpo("filters", "show", "random").out.splitlines()
    assert lines[:1] + lines[2:] == [
        "filter random: keep completions by lot, as a control for the other filters",
        "rewards: not needed",
        "races: no",
        "keeps: k",
        "options:",
        "  seed: a whole number at least 0; default 0",
        "    Another seed keeps other candidates.",
    ]


def test_show_of_a_class_in_a_file(user):
    said = user.gpo("filters", "show", "./mine.py:LowBound")
    assert said.out.splitlines() == [
        "filter LowBound: not packaged",
        f"from: {user.folder / 'mine.py'}",
        "rewards: not needed",
        "races: yes",
        "keeps: k",
        "options:",
        "  slack: any value; default 1",
        "    (without a description)",
    ]


def test_show_as_json(user):
    shown = json.loads(user.gpo("filters", "show", "adaptive_difficulty", "--json").out)
    assert (shown["rewards"], shown["races"], shown["keeps"]) == ("needed", "no", "up to k, fewer of some groups")
    assert [option["name"] for option in shown["options"]] == ["keep", "warmup"]


def test_test_on_made_up_groups(user):
    said = user.gpo("filters", "test", "length", "--rows", 2)
    assert (said.code, said.err) == (0, "")
    assert without_times(said.out).splitlines() == [
        f"filter length of plugin 'builtin' (gpocli {__version__})",
        "14 made-up completions of 2 rows of embedded",
        "",
        "completion     number  none  lowest  mean  highest  kept",
        "gold, bare          2     0      -2    -2       -2     2",
        "gold, thought       2     0     -17   -17      -17     2",
        "gold, boxed         2     0     -27   -27      -27     0",
        "gold, long          2     0    -138  -138     -138     0",
        "wrong               2     0     -17   -17      -17     0",
        "empty               2     0      -1    -1       -1     2",
        "cut                 2     0    -256  -256     -256     0",
        "",
        "check          finding",
        "scores         14 numbers from -256 to -1",
        "same again     yes",
        "order          does not matter",
        "text and chat  the same",
        "columns        none",
        "rewards        not needed",
        "race           yes, the bound holds",
        "keeps          3 of 7",
        "spread         2 of 2 groups",
        "time           # a completion",
    ]


@pytest.mark.parametrize("name", load_plugins(entry_points=False).filters)
def test_every_builtin_filter_passes(user, name):
    said = user.gpo("filters", "test", name, "--rows", 4, "-k", 4)
    assert (said.code, said.err) == (0, "")
    assert "4 of 7" in said.out


def test_test_on_recorded_groups(user):
    write_run(user)
    said = user.gpo("filters", "test", "length", "--run", "out")
    assert (said.code, said.err) == (0, "")
    assert without_times(said.out).splitlines()[1:6] == [
        "3 recorded completions of 2 groups of out; 1 lost candidate of them left out, whose text is not whole",
        "",
        "completion  number  none  lowest  mean  highest  kept",
        "kept             1     0      -1    -1       -1     1",
        "rejected         2     0      -3  -2.5       -2     1",
    ]
    assert finding(said, "keeps") == "1 of 1 to 2"
    assert user.gpo("filters", "test", "token_efficiency", "--run", "out").code == 0


def finding(said, check):
    return next(line.removeprefix(check).strip() for line in said.out.splitlines() if line.startswith(check))


def test_filter_by_lot_is_told_but_no_fault(user):
    said = user.gpo("filters", "test", "random")
    assert finding(said, "order") == "a score depends on the place alone, not on the completion"


def test_filter_that_cannot_do_without_a_reward_is_told_but_no_fault(user):
    said = user.gpo("filters", "test", "./mine.py:efficiency")
    assert said.code == 0
    assert finding(said, "rewards") == (
        "needed; where none applies a run would stop: filter 'efficiency' returned nan as the score of candidate 0 of "
        "group 0; return a finite number"
    )


def test_rewards_that_are_asked_for_in_vain(user):
    said = user.gpo("filters", "test", "./mine.py:idle")
    assert finding(said, "rewards") == "asked for, but they change no score; needs_rewards = False would save them"


ROW = "of embedded: row 1"
FAULTS = {
    "same": "filter 'same' gives all candidates of a group one score, in all 2 groups: the first ones would be kept; "
    "mend it, or try recorded completions with --run\n",
    "later": f"filter 'later' gives 4 for the completion 'gold, bare' {ROW}, but 10 when its group is in another "
    "order; score a candidate by what it is, not by its place\n",
    "by_first_group": f"filter 'by_first_group' gives -1 for the completion 'gold, bare' {ROW}, but -0.0078125 when "
    "its group is in another order; score a candidate by what it is, not by its place\n",
    "not_a_number": "filter 'not_a_number' returned nan as the score of candidate 0 of group 0; return a finite "
    "number\n",
    "Ranks": f"filter 'Ranks' has a score_bound, and so must score a candidate by itself, but the completion "
    f"'gold, bare' {ROW} has another score without the rest of its group; take score_bound out\n",
    "Unsaved": "state_dict of filter 'Unsaved' cannot be saved: Object of type set is not JSON serializable; return "
    "numbers, texts, lists and dicts\n",
}


@pytest.mark.parametrize("name", FAULTS)
def test_fault_is_a_line_and_exit_code_3(user, name):
    said = user.gpo("filters", "test", f"./mine.py:{name}", "--rows", 2)
    assert (said.code, said.err) == (3, FAULTS[name])


def test_bound_that_is_too_low(user):
    assert user.gpo("filters", "test", "./mine.py:LowBound").code == 0
    said = user.gpo("filters", "test", "./mine.py:LowBound", "--option", "slack=10")
    # The longest completion has 256 tokens and scores -256; -(247 + 10) is the first bound below that.
    assert (said.code, said.err) == (
        3,
        "filter 'LowBound' says that an unended completion of 247 tokens scores at most -257, but the completion "
        "'cut' of embedded: row 1 became 256 long and scores -256; raise score_bound\n",
    )
    assert finding(said, "race") == "no"


def test_scores_that_change_from_call_to_call(user):
    said = user.gpo("filters", "test", "./mine.py:lots")
    assert said.code == 3
    assert said.err.endswith(" of embedded: row 1; make it depend on its arguments alone\n")
    assert said.err.count("\n") == 1
    assert finding(said, "order") == "not tried, for its values change from call to call"


def test_k_that_does_not_fit(user):
    said = user.gpo("filters", "test", "length", "-k", 8)
    assert (said.code, said.err) == (2, "--keep 8 is more than the 7 candidates of a group; write a smaller one\n")
    said = user.gpo("filters", "test", "adaptive_difficulty", "--option", "keep=[6,4,3,2]", "-k", 4)
    assert (said.code, said.err) == (
        2,
        "filter 'adaptive_difficulty': option 'keep' wants 6 of very hard groups, but k is 4; raise k to 6 or lower "
        "the count\n",
    )


def test_faults_as_json(user):
    said = user.gpo("filters", "test", "./mine.py:same", "--rows", 2, "--json")
    assert said.code == 3
    told = json.loads(said.out)
    assert told["faults"] == [FAULTS["same"].rstrip()]
    assert told["checks"][0] == {"name": "scores", "finding": "14 numbers from 1 to 1"}
    assert told["kinds"][0] == {
        "kind": "gold, bare", "count": 2, "missing": 0, "lowest": 1.0, "mean": 1.0, "highest": 1.0, "kept": 2,
    }  # fmt: skip
