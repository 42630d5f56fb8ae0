from gpocli.contracts.reward_model import RewardModel, reward_model_of


class Scores:
    reward_model = RewardModel("org/scores")


class Odd:
    reward_model = "org/scores"


def test_a_reward_that_stands_for_a_model():
    assert reward_model_of(Scores()) == RewardModel("org/scores", None, "auto")


def test_other_rewards_stand_for_none():
    assert [reward_model_of(Odd()), reward_model_of(len)] == [None, None]
