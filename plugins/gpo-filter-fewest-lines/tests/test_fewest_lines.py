from gpo_filter_fewest_lines import FewestLines, Options

from gpocli.contracts.filter import GroupFilter, select

GROUP = ["a\nb\nc", "one line", "a\n\n\nb", ""]


def scores(group, **options):
    return GroupFilter([FewestLines(Options(**options))]).score([group], None)[0]


def test_fewest_lines_are_kept():
    assert scores(GROUP) == [(-3.0,), (-1.0,), (-2.0,), (0.0,)]
    assert select(scores(GROUP), 2) == [1, 3]


def test_blank_lines_can_count():
    assert scores(GROUP, blank=True) == [(-3.0,), (-1.0,), (-4.0,), (-1.0,)]


def test_messages_score_as_text():
    messages = [[{"role": "assistant", "content": text}] for text in GROUP]
    assert scores(messages) == scores(GROUP)
