from gpo_reward_distinct_words import DistinctWords, Options

from gpocli.contracts.reward import checked_rewards

TEXTS = ["wait wait wait wait", "one two three One", "so it is", ""]


def rewards(completions, **options):
    (reward,) = checked_rewards([DistinctWords(Options(**options))])
    return reward(prompts=["p"] * len(completions), completions=completions, completion_ids=[[1]] * len(completions))


def test_repetition_earns_less():
    assert rewards(TEXTS[:2]) == [0.25, 0.75]


def test_few_words_earn_nothing_at_all():
    assert rewards(TEXTS) == [0.25, 0.75, None, None]
    assert rewards(TEXTS, at_least=1) == [0.25, 0.75, 1.0, None]


def test_messages_earn_what_text_earns():
    assert rewards([[{"role": "assistant", "content": text}] for text in TEXTS]) == rewards(TEXTS)
