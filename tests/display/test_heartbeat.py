"""A beat comes while nothing is said, and none after the end."""

import threading

from gpocli.display.heartbeat import Heartbeat


def test_beats_come_until_it_is_stopped():
    beats, third = [], threading.Event()

    def beat():
        beats.append(1)
        if len(beats) == 3:
            third.set()

    heart = Heartbeat(0.001, beat)
    heart.start()
    heart.start()  # which is one thread still
    assert third.wait(30)
    heart.stop()
    count = len(beats)
    assert [thread.name for thread in threading.enumerate()].count("gpo-heartbeat") == 0
    heart.start()  # once stopped it stays so
    assert len(beats) == count


def test_something_said_puts_a_beat_off():
    heart = Heartbeat(3600.0, lambda: None)
    heart.start()
    heart.put_off()
    heart.stop()  # which a thread that waits for an hour would not let happen


def test_one_that_never_began_can_be_stopped():
    Heartbeat(1.0, lambda: None).stop()
