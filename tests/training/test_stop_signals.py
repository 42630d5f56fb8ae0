"""A signal ends the training after the step, with a checkpoint."""

import os
import signal
from types import SimpleNamespace

import pytest
from transformers import TrainerControl

from gpocli.training.stop_signals import StopSignals

ALONE = SimpleNamespace(world_size=1)


def after_a_step(signals):
    control = TrainerControl()
    signals.on_step_end(ALONE, None, control)
    return control


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_first_signal_asks_for_a_checkpoint_and_the_end(number):
    told = []
    signals = StopSignals(told.append)
    with signals.caught():
        os.kill(os.getpid(), number)
    control = after_a_step(signals)
    assert (control.should_save, control.should_training_stop) == (True, True)
    assert signals.received == number
    assert told == ["stopping after this step with a checkpoint; once more stops at once"]


def test_a_second_signal_ends_at_once():
    signals = StopSignals(lambda text: None)
    with signals.caught():
        os.kill(os.getpid(), signal.SIGTERM)
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGTERM)


def test_without_a_signal_nothing_stops():
    signals = StopSignals(lambda text: None)
    control = after_a_step(signals)
    assert (signals.received, control.should_save, control.should_training_stop) == (None, False, False)


def test_the_handlers_of_before_are_back_afterwards():
    before = signal.getsignal(signal.SIGTERM)
    with StopSignals(lambda text: None).caught():
        assert signal.getsignal(signal.SIGTERM) != before
    assert signal.getsignal(signal.SIGTERM) == before
