from hypothesis import given
from hypothesis import strategies as st

from gpocli.rollout import Race
from gpocli.rollout.race import Board

END, WORD = 1, 5


def run(lengths, group_size, limit, race):
    """Plays a board with candidates of these lengths (the end token included; above the limit: never ends)."""
    board = Board(len(lengths) // group_size, group_size, limit=limit, end_token_ids=[END], race=race)
    rows = list(range(len(lengths)))
    for step in range(1, limit + 1):
        board.advance(rows, [END if lengths[row] == step else WORD for row in rows])
        if not board.num_running:
            break
    return board


def length_race(keep):
    return Race(keep, lambda row, ids, finished: (-float(len(ids)),), lambda length: (-float(length + 1),))


def best(scores, keep, excluded=()):
    rows = [row for row in range(len(scores)) if row not in excluded]
    return sorted(sorted(rows, key=lambda row: (tuple(-s for s in scores[row]), row))[:keep])


def test_running_rows_are_lost_once_k_have_ended():
    # Step 2 ends rows 0 and 2; the two others then cannot be among the two shortest.
    board = run([2, 9, 2, 5], 4, 10, length_race(2))

    assert board.finished == [True, False, True, False]
    assert board.lost == [False, True, False, True]
    assert [len(ids) for ids in board.completion_ids] == [2, 2, 2, 2]


def test_rows_that_end_in_the_deciding_step_are_ended_not_lost():
    # Row 0 is the first of three to end in step 3: all three were handled before any is called lost.
    board = run([3, 3, 3, 4], 4, 10, length_race(1))

    assert board.finished == [True, True, True, False]
    assert board.lost == [False, False, False, True]


def test_equal_bound_loses_only_behind_the_last_kept_candidate():
    # A bound of 0 for all, as a constant score has: row 0 could still tie and win as the earlier one; row 2 could not.
    race = Race(1, lambda row, ids, finished: (0.0,), lambda length: (0.0,))
    board = run([4, 2, 9], 3, 10, race)

    assert board.lost == [False, False, True]
    assert board.finished == [True, True, False]


def test_second_filter_breaks_ties_of_the_first():
    race = Race(1, lambda row, ids, finished: (1.0, -float(row)), lambda length: (1.0, -0.5))
    board = run([3, 2], 2, 5, race)

    # Row 1 ended with (1, -1); row 0 could reach (1, -0.5), so it runs on, and then has (1, 0).
    assert board.finished == [True, True]


def test_a_row_at_the_limit_is_cut_not_lost():
    # Row 1 ends in the last step with 4 tokens, and so has row 0, which ranks before it.
    board = run([9, 4], 2, 4, length_race(1))

    assert (board.finished, board.lost) == ([False, True], [False, False])


def test_groups_race_on_their_own():
    board = run([1, 9, 7, 8], 2, 10, length_race(1))

    assert board.lost == [False, True, False, True]
    assert [len(ids) for ids in board.completion_ids] == [1, 1, 7, 7]


def test_k_equal_to_g_loses_nobody_and_asks_for_no_score():
    def refuse(*args):
        raise AssertionError

    board = run([1, 9], 2, 10, Race(2, refuse, refuse))

    assert board.lost == [False, False]


def test_each_ended_candidate_is_scored_once():
    asked = []
    race = Race(1, lambda row, ids, finished: asked.append((row, list(ids), finished)) or (0.0,), lambda n: (9.0,))
    run([2, 1, 30], 3, 4, race)

    assert asked == [(1, [END], True), (0, [WORD, END], True)]


@st.composite
def races(draw):
    group_size = draw(st.integers(2, 8))
    groups = draw(st.integers(1, 4))
    keep = draw(st.integers(1, group_size))
    limit = draw(st.integers(1, 12))
    # Each group has its own difficulty; lengths above the limit are cut.
    lengths = []
    for _ in range(groups):
        low = draw(st.integers(1, 10))
        lengths += draw(st.lists(st.integers(low, low + 6), min_size=group_size, max_size=group_size))
    return lengths, group_size, keep, limit


@given(races())
def test_length_race_keeps_what_full_generation_keeps(case):
    lengths, group_size, keep, limit = case
    board = run(lengths, group_size, limit, length_race(keep))

    scores = [(-float(min(length, limit)),) for length in lengths]
    for start in range(0, len(lengths), group_size):
        lost = [row - start for row in range(start, start + group_size) if board.lost[row]]
        group = scores[start : start + group_size]
        assert best(group, keep, lost) == best(group, keep)


@given(races(), st.data())
def test_any_score_below_its_bound_races_exactly(case, data):
    lengths, group_size, keep, limit = case
    # A score of few values (ties) in two parts, and the tightest bound that holds for it: the highest score at any
    # length from the present one on.
    values = data.draw(
        st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=limit + 1, max_size=limit + 1)
    )

    def score(row, ids, finished):
        return tuple(map(float, values[len(ids)]))

    def bound(length):
        return tuple(map(float, max(values[length:])))

    board = run(lengths, group_size, limit, Race(keep, score, bound))
    scores = [tuple(map(float, values[min(length, limit)])) for length in lengths]
    for start in range(0, len(lengths), group_size):
        lost = [row - start for row in range(start, start + group_size) if board.lost[row]]
        group = scores[start : start + group_size]
        assert best(group, keep, lost) == best(group, keep)


def test_a_score_that_is_not_known_yet_beats_nobody():
    # Row 1 ends first, but it is row 0 that row 2 loses to.
    race = Race(1, lambda row, ids, finished: None if row == 1 else (-float(len(ids)),), lambda n: (-float(n + 1),))
    board = run([4, 2, 9], 3, 10, race)

    assert board.finished == [True, True, False]
    assert board.lost == [False, False, True]
    assert [len(ids) for ids in board.completion_ids] == [4, 2, 4]
    assert board.scores == {0: (-4.0,)}
