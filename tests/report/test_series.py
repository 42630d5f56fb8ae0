"""Curves are what is logged, thinned."""

from gpocli.report.series import Curve, charts, thinned

LINES = [
    {"step": 1, "reward": 0.5, "kept/mean_length": 4.0, "completions/mean_length": 8.0, "rewards/a/mean": 0.5},
    {"step": 2, "reward": None, "kept/mean_length": 3.0, "rewards/a/mean": 0.0},
]


def titles(runs):
    return [chart.title for chart in charts(runs)]


def test_a_figure_is_a_curve_of_its_steps():
    reward, length = charts([LINES])
    assert reward.curves == [Curve(0, 0, [(1.0, 0.5)])]
    assert length.curves == [Curve(0, 0, [(1.0, 4.0), (2.0, 3.0)]), Curve(0, 1, [(1.0, 8.0)])]


def test_without_a_filter_there_is_one_length():
    lines = [{"step": 1, "completions/mean_length": 8.0}]
    (length,) = charts([lines])
    assert [curve.kind for curve in length.curves] == [0]


def test_several_rewards_have_a_chart_each():
    assert titles([LINES]) == ["Reward", "Length"]
    other = [{"step": 1, "rewards/b/mean": 1.0}]
    assert titles([LINES, other]) == ["Reward", "Reward a", "Reward b", "Length"]


def test_runs_are_told_apart():
    (chart,) = charts([[{"step": 1, "entropy": 1.0}], [], [{"step": 1, "entropy": 2.0}]])
    assert [curve.run for curve in chart.curves] == [0, 2]


def test_many_points_become_means():
    assert thinned([(1.0, 0.0), (2.0, 2.0), (3.0, 5.0)], most=2) == [(1.5, 1.0), (3.0, 5.0)]
    assert thinned([(1.0, 1.0)]) == [(1.0, 1.0)]
    assert len(thinned([(float(n), 0.0) for n in range(1000)])) <= 120
