import signal
import threading

import pytest
from pydantic import ValidationError

from gpocli.builtin.rewards.code import EXTENSION, CodeOptions, code_in
from gpocli.contracts.reward import checked_rewards
from gpocli.contracts.reward_call import RewardRules
from gpocli.errors import EnvironmentFault, PluginError, SpecError

try:
    EXTENSION.build(CodeOptions())
except EnvironmentFault as missing:
    pytest.skip(str(missing), allow_module_level=True)

INC = "```python\ndef inc(x):\n    return x + 1\n```"
TWO = ["assert inc(1) == 2", "assert inc(1) == 3"]


def rewards(*completions, tests, log=None, options=None):
    reward = EXTENSION.build(CodeOptions(**options or {}))
    return reward(completions=list(completions), tests=[tests] * len(completions), log_metric=log)


def test_all_asserts_must_hold():
    assert rewards(INC, tests=TWO) == [0.0]
    assert rewards(INC, tests=TWO[:1]) == [1.0]


def test_the_share_of_asserts_that_hold():
    assert rewards(INC, tests=TWO, options={"score": "share"}) == [0.5]


DOUBLE = "```\nprint(2 * int(input()))\n```"


def test_programs_are_judged_by_what_they_print():
    right = {"inputs": ["1", "21\n"], "outputs": ["2\n", "42"]}
    half = {"inputs": ["1", "21\n"], "outputs": ["2\n", "43"]}
    assert [rewards(DOUBLE, tests=one, options={"score": "share"}) for one in (right, half)] == [[1.0], [0.5]]
    assert [rewards(DOUBLE, tests=one) for one in (right, half)] == [[1.0], [0.0]]


def test_a_program_must_end_well():
    assert rewards("print(1)\nraise SystemExit(1)", tests={"inputs": [""], "outputs": ["1"]}) == [0.0]


def test_a_row_without_tests_has_no_reward():
    assert rewards(INC, tests=None) == [None]


@pytest.mark.parametrize("completion", ["", "I do not know.", "<think>" + INC, INC.replace("+", "-"), "```python\nx"])
def test_what_does_not_solve_it_gets_nothing(completion):
    assert rewards(completion, tests=TWO[:1]) == [0.0]


def test_only_the_answer_counts():
    assert rewards(f"<think>{INC}</think>```python\ninc = abs\n```", tests=TWO[:1]) == [0.0]


def test_messages_are_read():
    assert rewards([{"role": "assistant", "content": INC}], tests=TWO[:1]) == [1.0]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("x = 1", "x = 1"),
        ("  \n", None),
        ("so\n```python\nx = 1\n```\nand\n```py\ny = 2\n```\nprints\n```\n2\n```", "y = 2\n"),
        ("```\nx = 1\n```", "x = 1\n"),
        ("```bash\nls\n```", None),
        ("```python\nx = 1", None),
        ("```python\nx = 1\n```\n```python\ny =", "x = 1\n"),
        ("```Python title=a.py\nx = 1\n```", "x = 1\n"),
    ],
)
def test_where_the_code_stands(text, code):
    assert code_in(text) == code


def test_equal_answers_are_run_once():
    # Two runs of a program that says something random would hardly agree.
    chance = "import os\nassert os.urandom(1)[0] < 128"
    assert len(set(rewards(*[chance] * 12, tests=["pass"]))) == 1


def test_many_at_once():
    completions = [f"```python\ndef inc(x): return x + {number}\n```" for number in range(12)]
    assert rewards(*completions, tests=TWO[:1], options={"workers": 3}) == [0.0, 1.0, *[0.0] * 10]


def test_what_was_cut_and_what_has_no_code_is_told():
    told = {}
    loop = "```python\nwhile True: pass\n```"
    rewards(loop, INC, "", INC, tests=TWO[:1], log=told.__setitem__, options={"cpu_seconds": 1})
    assert told == {"code/no_code": 0.25, "code/cut": 0.25}


def test_a_test_that_is_no_python_is_told_with_its_row():
    reward = EXTENSION.build(CodeOptions())
    with pytest.raises(SpecError, match=r'reward "code": the column "tests" of row 7: a test is not Python'):
        reward(completions=[INC], tests=["assert ("], gpo_row=[7])


def test_a_column_that_is_missing_is_told():
    with pytest.raises(SpecError, match='needs the data column "checks"'):
        EXTENSION.build(CodeOptions(tests_column="checks"))(completions=["x"])


SLEEP = "```python\nimport time\ntime.sleep(60)\n```"


def test_a_deadline_ends_the_processes():
    reward = EXTENSION.build(CodeOptions(workers=2))
    (checked,) = checked_rewards([reward], ["code"], [RewardRules(0.5)])
    with pytest.raises(PluginError, match=r'reward "code" took longer than 0.5 seconds for a batch of 1'):
        checked(prompts=["?"], completions=[SLEEP], completion_ids=[[1]], tests=[["pass"]])
    assert not [one for one in threading.enumerate() if one.name.startswith("gpo-code")]


def test_an_interrupt_ends_the_processes():
    timer = threading.Timer(0.5, signal.pthread_kill, [threading.get_ident(), signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        rewards(SLEEP, tests=["pass"])
    timer.join()
    assert not [one for one in threading.enumerate() if one.name.startswith("gpo-code")]


@pytest.mark.parametrize("options", [{"score": "some"}, {"cpu_seconds": 0}, {"memory_mb": 1}, {"isolation": "none"}])
def test_wrong_options_are_refused(options):
    with pytest.raises(ValidationError):
        CodeOptions(**options)
