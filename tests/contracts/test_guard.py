from gpocli.contracts.guard import InARow, Window, of_rewards, told


class Odd(InARow):
    def is_bad(self, figures):
        return figures.get("odd")

    def alarm(self, figures):
        return "it is odd", "make it even"


def shown(*steps, window=2):
    guard = Odd(Window(window=window))
    return [guard.check({} if bad is None else {"odd": bad}) for bad in steps]


def places(found):
    return [number for number, alarm in enumerate(found) if alarm is not None]


def test_the_window_is_a_row_without_a_good_step():
    assert places(shown(True, False, True, True, True, False, True)) == [3, 4]


def test_a_step_that_does_not_tell_counts_neither_way():
    assert places(shown(True, None, None, True, None, True)) == [3, 5]


def test_the_lines_are_those_since_the_first_bad_step():
    assert [alarm.lines for alarm in shown(False, True, None, True, None, True) if alarm] == [3, 5]


def test_a_window_of_one_says_nothing_of_a_row():
    assert shown(True, window=1)[0].text == "it is odd"
    assert shown(True, True)[1].text == "it is odd in 2 steps in a row"


def test_the_first_figure_that_is_told_counts():
    assert told({"a": None, "b": 2}, "a", "b") == 2.0
    assert told({}, "a") is None


def test_figures_of_rewards_are_found_by_the_name_of_the_reward():
    figures = {"rewards/a/b/mean": 1.0, "rewards/c/mean": None, "rewards/c/std": 0.0, "reward": 1.0}
    assert of_rewards(figures, "mean") == {"a/b": 1.0, "c": None}
