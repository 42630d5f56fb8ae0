"""Samples become the very arguments that a trainer passes."""

from gpocli.data import gather
from gpocli.trial.made_up import made_up
from gpocli.trial.samples import filter_arguments, prompt_in_form, reward_arguments

ROWS = gather("here", [(1, {"prompt": "a", "answer": "4", "tags": ["x"]}), (2, {"prompt": "b", "answer": "5"})])


def test_reward_gets_one_value_a_completion():
    given = reward_arguments(made_up(ROWS), chat=False)
    assert {len(given[name]) for name in ("prompts", "completions", "completion_ids", "finished", "answer")} == {14}
    assert given["answer"] == ["4"] * 7 + ["5"] * 7
    assert given["gpo_row"] == [1] * 7 + [2] * 7
    assert given["completions"][0] == "4"
    assert reward_arguments(made_up(ROWS), chat=True)["completions"][0] == [{"role": "assistant", "content": "4"}]


def test_reward_that_changes_a_value_of_the_data_does_no_harm():
    samples = made_up(ROWS)
    reward_arguments(samples, chat=False)["tags"][0].append("y")
    assert reward_arguments(samples, chat=False)["tags"][0] == ["x"]


def test_filter_gets_groups():
    call = filter_arguments(made_up(ROWS), chat=False)
    given = call.keywords
    assert [len(group) for group in call.completions] == [7, 7]
    assert given["answer"] == [["4"] * 7, ["5"] * 7]
    assert given["completion_lengths"][0] == [len(ids) for ids in given["completion_ids"][0]]
    assert given["rewards_per_func"]["accuracy"][1] == [1.0, 1.0, 1.0, 1.0, 0.0, None, 0.0]


def test_prompts_in_both_forms():
    messages = [{"role": "system", "content": "s"}, {"role": "user", "content": "u"}]
    assert prompt_in_form(messages, chat=True) == messages
    assert prompt_in_form(messages, chat=False) == "s\nu"
    assert prompt_in_form("u", chat=True) == [{"role": "user", "content": "u"}]
    assert prompt_in_form("u\n<think>\n", chat=True) == [
        {"role": "user", "content": "u\n"},
        {"role": "assistant", "content": "<think>"},
    ]
