"""What a filter is told about groups of candidates."""

from gpocli.contracts.filter_call import FILTER_KEYWORDS, Candidate, filter_call

STATE = object()


def one(text, reward=1.0, group=0, **row):
    rewards = None if reward is None else {"exact": reward, "length": None}
    return Candidate({"prompt": "p", **row}, "p", text, [1] * len(text), len(text) < 3, rewards, reward, group)


def test_everything_is_grouped_alike():
    call = filter_call([[one("a", answer="1"), one("bbb", 0.5, answer="1")], [one("cc", answer="2", group=7)]], STATE)
    assert call.completions == [["a", "bbb"], ["cc"]]
    assert call.rewards == [[1.0, 0.5], [1.0]]
    assert call.keywords == {
        "answer": [["1", "1"], ["2"]],
        "completion_ids": [[[1], [1, 1, 1]], [[1, 1]]],
        "completion_lengths": [[1, 3], [2]],
        "finished": [[True, False], [True]],
        "group_numbers": [[0, 0], [7]],
        "prompts": [["p", "p"], ["p"]],
        "rewards_per_func": {"exact": [[1.0, 0.5], [1.0]], "length": [[None, None], [None]]},
        "trainer_state": STATE,
    }


def test_keywords_are_those_that_checks_know():
    assert set(filter_call([[one("a")]], None).keywords) == set(FILTER_KEYWORDS)


def test_rewards_are_told_only_where_all_were_asked():
    call = filter_call([[one("a"), one("b", None)]], None)
    assert (call.rewards, call.keywords["rewards_per_func"]) == (None, None)


def test_no_groups_are_no_candidates():
    call = filter_call([], None)
    assert (call.completions, call.rewards, call.keywords["prompts"]) == ([], None, [])


def test_what_a_filter_changes_is_its_own():
    group = [one("a")]
    filter_call([group], None).keywords["completion_ids"][0][0].append(9)
    assert filter_call([group], None).keywords["completion_ids"] == [[[1]]]
