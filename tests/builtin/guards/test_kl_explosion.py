from gpocli.builtin.guards.kl_explosion import EXTENSION
from tests.builtin.guards.showing import first


def test_five_steps_far_away_are_too_many():
    assert first(EXTENSION, [{"kl": 10.1}] * 5) == 5


def test_the_bound_itself_one_outlier_and_no_figure_are_not():
    assert first(EXTENSION, [{"kl": 10.0}] * 50) is None
    assert first(EXTENSION, [{"kl": 1e9}, {"kl": 0.1}] * 50) is None
    assert first(EXTENSION, [{"kl": None}, {}] * 50) is None
