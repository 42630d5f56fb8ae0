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


def test_time_in_a_part_within_a_part_is_that_of_the_inner_one(monkeypatch):
    # A step from 0 to 20, sampling from 1 to 11, in which rewards take 2 to 5 and 6 to 7.
    times = iter([0.0, 1.0, 2.0, 5.0, 6.0, 7.0, 11.0, 20.0])
    monkeypatch.setattr(clock.time, "perf_counter", lambda: next(times))
    step = StepClock()
    with step.measure("step"), step.measure("generate"):
        for _ in range(2):
            with step.measure("reward"):
                pass
    figures = step.read_and_reset()
    assert (figures["time/generate"], figures["time/reward"], figures["time/update"]) == (6.0, 4.0, 10.0)


def test_the_activity_tells_the_part_that_is_measured():
    step = StepClock()
    with step.measure("step", lambda: "2/4"):
        with step.measure("generate"):
            assert str(step.activity) == "generating"
        assert str(step.activity) == "update 2/4"
