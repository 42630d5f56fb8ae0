"""What a run is doing: said by the innermost thing, and worked out for those alone who ask."""

from types import SimpleNamespace

import pytest

from gpocli.runs.activity import Activity, place_of_update


def test_the_innermost_thing_is_said_and_the_outer_one_is_back_after_it():
    activity = Activity()
    with activity.doing("update", lambda: "2/4"):
        with activity.doing("generating"):
            assert (str(activity), activity.phase) == ("generating", "generating")
        assert str(activity) == "update 2/4"
    assert (str(activity), activity.phase) == ("", "")


def test_what_frames_is_said_of_what_is_within():
    activity = Activity()
    with activity.doing("evaluating", frames=True):
        assert str(activity) == "evaluating"
        with activity.doing("scoring"):
            assert str(activity) == "evaluating: scoring"


def test_how_far_it_is_changes_while_it_is_done():
    activity, ended = Activity(), []
    activity.tells(lambda: "of nothing")
    with activity.doing("generating", lambda: "12 completions"):
        activity.tells(lambda: f"{len(ended)}/12 ended")
        ended += [1, 2]
        assert str(activity) == "generating 2/12 ended"


def test_an_error_leaves_nothing_behind():
    activity = Activity()
    with pytest.raises(ZeroDivisionError), activity.doing("scoring"):
        raise ZeroDivisionError
    assert str(activity) == ""


def test_nobody_who_does_not_ask_pays_for_the_detail():
    def never():
        raise AssertionError

    activity = Activity()
    with activity.doing("update", never):
        activity.tells(never)


@pytest.mark.parametrize(
    ("accumulation", "per_generation", "iterations", "micro_batch", "words"),
    [
        (1, 1, 1, 7, ""),
        (1, 4, 1, 5, "2/4"),  # the second of the second generation batch
        (16, 16, 1, 2, "micro-batch 3/16"),
        (2, 4, 2, 5, "3/4, micro-batch 2/2"),  # 8 micro-batches a generation batch: 4 updates of 2
    ],
)
def test_the_place_of_an_update(accumulation, per_generation, iterations, micro_batch, words):
    args = SimpleNamespace(gradient_accumulation_steps=accumulation, steps_per_generation=per_generation)
    assert place_of_update(args, iterations, micro_batch) == words
