"""Rows of one kind are counted, and their places listed."""

from gpocli.data.named import LISTED, NamedRows


def named(count):
    rows = NamedRows()
    for number in range(1, count + 1):
        rows.add("again", f"a:{number}", f"a:{number}: again")
    (one,) = rows
    return one


def test_one_row_is_said_by_itself():
    assert str(named(1)) == "a:1: again"


def test_others_are_listed_up_to_five():
    assert str(named(3)) == "a:1: again (the first of 3; others: a:2, a:3)"
    assert str(named(6)).endswith("others: a:2, a:3, a:4, a:5, a:6)")
    assert str(named(1200)).endswith("(the first of 1,200; others: a:2, a:3, a:4, a:5, a:6, ...)")


def test_so_many_places_are_kept_for_programs():
    assert (named(1200).count, len(named(1200).places)) == (1200, LISTED)


def test_kinds_stay_in_order():
    rows = NamedRows()
    for kind in ("b", "a", "b"):
        rows.add(kind, "x:1", "x")
    assert [(one.kind, one.count) for one in rows] == [("b", 2), ("a", 1)]
