"""A signal ends the training with a checkpoint: at once where nothing changes, else after the step."""

import os
import signal

import pytest
from transformers import TrainerControl

from gpocli.trainers.stop import StopNow
from gpocli.training.stop_signals import StopSignals
from gpocli.training.time_limit import TimeLimit


class PlainStop:
    """The part of a trainer's `Stop` that signals ask."""

    def __init__(self, *, is_at_once=False, is_shared=False):
        self.asked, self.is_at_once, self.is_shared = 0, is_at_once, is_shared

    def ask(self, number):
        self.asked = number
        if self.is_at_once:
            raise StopNow(number)

    def agreed(self):
        return self.asked


def signals_of(stop=None, told=None, limit=None):
    notify = (lambda text: None) if told is None else told.append
    return StopSignals(stop or PlainStop(), notify, limit or TimeLimit(None))


def after_a_step(signals):
    control = TrainerControl()
    signals.on_step_end(None, None, control)
    return control


KINDS = {
    signal.SIGINT: "stopping after this step with a checkpoint; once more stops at once",
    signal.SIGTERM: "SIGTERM: stopping after this step with a checkpoint; Ctrl-C stops at once",
    signal.SIGHUP: "SIGHUP: stopping after this step with a checkpoint; Ctrl-C stops at once",
    signal.SIGUSR1: "SIGUSR1: stopping after this step with a checkpoint; Ctrl-C stops at once",
}


@pytest.mark.parametrize(("number", "text"), KINDS.items())
def test_the_first_signal_asks_for_a_checkpoint_and_the_end(number, text):
    told = []
    signals = signals_of(told=told)
    with signals.caught():
        signal.raise_signal(number)
    control = after_a_step(signals)
    assert (control.should_save, control.should_training_stop) == (True, True)
    assert (signals.received, told) == (number, [text])


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1])
def test_schedulers_may_repeat_a_signal(number):
    told = []
    with signals_of(told=told).caught():
        for _ in range(3):
            signal.raise_signal(number)
        signal.raise_signal(signal.SIGTERM)
    assert len(told) == 1


@pytest.mark.parametrize("first", [signal.SIGINT, signal.SIGUSR1])
def test_a_ctrl_c_after_a_signal_ends_at_once(first):
    with signals_of().caught():
        signal.raise_signal(first)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)


def test_what_a_reward_raises_is_no_ctrl_c():
    stop = PlainStop()
    told = signals_of(stop).interruption(KeyboardInterrupt(), "stopped")
    assert (told.exit_code, str(told)) == (3, "a reward or filter raised KeyboardInterrupt; let it raise an Exception")
    stop.asked = signal.SIGINT
    told = signals_of(stop).interruption(KeyboardInterrupt(), "stopped")
    assert (told.exit_code, str(told)) == (130, "stopped")


def test_a_ctrl_c_that_torchrun_hands_on_is_not_a_second_one(monkeypatch):
    monkeypatch.setenv("TORCHELASTIC_RUN_ID", "1")
    with signals_of().caught():
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)


def test_where_nothing_changes_the_run_is_left_at_once():
    told = []
    signals = signals_of(PlainStop(is_at_once=True), told)
    with signals.caught(), pytest.raises(StopNow):
        signal.raise_signal(signal.SIGTERM)
    assert told == ["SIGTERM: stopping at once, as the run was after its last step"]


def test_several_processes_leave_when_all_can():
    told = []
    with signals_of(PlainStop(is_shared=True), told).caught():
        signal.raise_signal(signal.SIGTERM)
    assert told == ["SIGTERM: stopping with a checkpoint when all processes can; Ctrl-C stops at once"]


def test_the_limit_of_a_run_is_named():
    told, limit = [], TimeLimit(None)
    limit.is_reached = True
    with signals_of(told=told, limit=limit).caught():
        signal.raise_signal(signal.SIGTERM)
    assert told == ["run.max_minutes: stopping after this step with a checkpoint; Ctrl-C stops at once"]


def test_without_a_signal_nothing_stops():
    signals = signals_of()
    control = after_a_step(signals)
    assert (signals.received, control.should_save, control.should_training_stop) == (None, False, False)


def test_the_handlers_of_before_are_back_afterwards():
    before = signal.getsignal(signal.SIGTERM)
    with signals_of().caught():
        assert signal.getsignal(signal.SIGTERM) != before
    assert signal.getsignal(signal.SIGTERM) == before


def test_what_nohup_ignores_stays_ignored():
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        stop = PlainStop()
        with signals_of(stop).caught():
            os.kill(os.getpid(), signal.SIGHUP)
        assert stop.asked == 0
    finally:
        signal.signal(signal.SIGHUP, before)
