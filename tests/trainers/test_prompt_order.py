"""The data order of a run, from any place."""

import pytest

from gpocli.trainers.epoch_sampler import EpochRepeatSampler
from gpocli.trainers.prompt_order import PromptOrder

ROWS = [{"number": number} for number in range(6)]


def numbers(order, place, count):
    return [row["number"] for row in order.rows(place, count)]


def test_it_is_that_of_the_data_loader_epoch_by_epoch():
    sampler = EpochRepeatSampler(ROWS, mini_repeat_count=1, batch_size=2, shuffle=True, seed=4)
    theirs = [number for _ in range(3) for number in sampler]
    assert numbers(PromptOrder(ROWS, 4, shuffle=True), 0, 18) == theirs
    assert len(set(map(tuple, (theirs[:6], theirs[6:12], theirs[12:])))) == 3


@pytest.mark.parametrize("place", [0, 4, 6, 11, 13])
def test_what_stands_at_a_place_does_not_depend_on_what_was_asked_before(place):
    whole = numbers(PromptOrder(ROWS, 4, shuffle=True), 0, 24)
    used = PromptOrder(ROWS, 4, shuffle=True)
    for before in (20, 3, 8):
        used.rows(before, 2)
        assert numbers(used, place, 5) == whole[place : place + 5]


def test_without_shuffling_it_is_the_order_of_the_rows():
    assert numbers(PromptOrder(ROWS, 4, shuffle=False), 4, 4) == [4, 5, 0, 1]
