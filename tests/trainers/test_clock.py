"""Where the time of a step goes."""

from gpocli.trainers import clock
from gpocli.trainers.clock import StepClock


def test_what_no_part_claims_is_the_update(monkeypatch):
    times = iter([0.0, 1.0, 4.0, 10.0])
    monkeypatch.setattr(clock.time, "perf_counter", lambda: next(times))
    step = StepClock()
    with step.measure("step"), step.measure("generate"):
        pass
    step.sampled_tokens = 50
    assert step.read_and_reset() == {
        "time/generate": 3.0,
        "time/reward": 0.0,
        "time/filter": 0.0,
        "time/update": 7.0,
        "tokens_per_second": 5.0,
    }


def test_reading_starts_anew():
    step = StepClock()
    step.sampled_tokens = 5
    with step.measure("step"):
        pass
    step.read_and_reset()
    assert "tokens_per_second" not in step.read_and_reset()
