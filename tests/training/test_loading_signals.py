"""A Ctrl-C while loading is not lost, not even where a library swallows it."""

import signal

import pytest

from gpocli.training.loading_signals import Stopped, interruptible


def test_a_swallowed_interrupt_comes_at_the_end():
    def load():
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            return "swallowed"
        return "not raised"

    before = signal.getsignal(signal.SIGINT)
    done = []
    with pytest.raises(KeyboardInterrupt), interruptible():
        done.append(load())
    assert done == ["swallowed"]
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1])
def test_what_a_scheduler_sends_ends_the_loading(number):
    with pytest.raises(Stopped) as caught, interruptible():
        signal.raise_signal(number)
    assert caught.value.number == number


def test_nothing_happens_without_a_signal():
    with interruptible():
        pass


def test_an_error_raised_for_a_swallowed_interrupt_is_the_interrupt():
    def load():
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt as error:
            raise RuntimeError("failed to import a part") from error

    with pytest.raises(KeyboardInterrupt), interruptible():
        load()


def test_an_error_without_a_signal_stays_what_it_is():
    with pytest.raises(RuntimeError, match="broken"), interruptible():
        raise RuntimeError("broken")
