import pytest

from gpocli.builtin.rewards.token_counts import is_cut


@pytest.mark.parametrize(
    ("tokens", "finished", "ends", "limit", "cut"),
    [
        ([1, 2], True, None, 2, False),
        ([1], False, [1], 2, True),
        ([1], None, None, 2, False),
        ([1, 1], None, None, 2, True),
        ([1, 1], None, [2], 2, True),
        ([1, 2], None, [2, 5], 2, False),
        ([1, 5], None, [2, 5], 2, False),
        ([], None, [2], 2, False),
        ([1, 1], None, [2], None, False),
    ],
)
def test_whether_a_completion_was_cut(tokens, finished, ends, limit, cut):
    assert is_cut(tokens, finished, ends, limit) is cut
